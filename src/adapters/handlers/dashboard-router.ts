import type { Logger } from '@aws-lambda-powertools/logger';
import type * as z from 'zod';
import { DASHBOARD_ANSWERS, type DashboardAnswer, type StaleAnswer } from '../../contract/dashboard.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATIONS,
  type DashboardOperation,
} from '../../contract/dashboard-operations.ts';
import type { Membership } from '../../contract/members.ts';
import { identifier } from '../../contract/widget.ts';
import { actionView } from '../../domain/actions/dashboard-actions.ts';
import { type MembershipReads, requireMembership } from '../../domain/organizations/access.ts';
import { assistantView } from '../../domain/organizations/dashboard-assistants.ts';
import { StaleVersion } from '../../domain/organizations/stale-version.ts';
import { inputOf, Refusal } from '../../domain/refusal.ts';
import { type HttpReply, type HttpRequest, httpHandler } from './http.ts';

/** Ids in the path of an operation. */
type Ids = Readonly<Partial<Record<'org_id' | 'site_id' | 'action_id', string>>>;

/** The operations whose path has this id. */
type OperationAt<Id extends keyof Ids> = {
  [O in DashboardOperation]: (typeof DASHBOARD_OPERATIONS)[O]['path'] extends `${string}{${Id}}${string}` ? O : never;
}[DashboardOperation];

type Call<I> = { readonly member: Membership; readonly input: I };

export type DashboardRoute = {
  readonly operation: DashboardOperation;
  readonly answer: (request: HttpRequest, sub: string, ids: Ids, members: MembershipReads) => Promise<object>;
};

/** Defines an operation for every user who is logged in. */
export function forUser<O extends DashboardOperation, I>(
  operation: O,
  schema: z.ZodType<I>,
  work: (call: { readonly sub: string; readonly input: I }) => Promise<DashboardAnswer<O>>,
): DashboardRoute {
  return {
    operation,
    answer: async (request, sub) =>
      DASHBOARD_ANSWERS[operation].parse(await work({ sub, input: requestInput(request, schema) })),
  };
}

/** Defines an operation in an organization. Checks the caller's current role before it parses the input. */
export function forMember<O extends OperationAt<'org_id'>, I>(
  operation: O,
  schema: z.ZodType<I>,
  work: (call: Call<I>) => Promise<DashboardAnswer<O>>,
): DashboardRoute {
  return inOrganization(operation, schema, work);
}

/** Defines an operation on an assistant. `work` must check that the assistant belongs to the organization. */
export function forAssistant<O extends OperationAt<'site_id'>, I>(
  operation: O,
  schema: z.ZodType<I>,
  work: (call: Call<I> & { readonly siteId: string }) => Promise<DashboardAnswer<O>>,
): DashboardRoute {
  return inOrganization(operation, schema, (call, ids) => work({ ...call, siteId: named(ids, 'site_id') }));
}

/** Defines an operation on an Action. `work` must check that the Action belongs to the organization. */
export function forAction<O extends OperationAt<'action_id'>, I>(
  operation: O,
  schema: z.ZodType<I>,
  work: (call: Call<I> & { readonly actionId: string }) => Promise<DashboardAnswer<O>>,
): DashboardRoute {
  return inOrganization(operation, schema, (call, ids) => work({ ...call, actionId: named(ids, 'action_id') }));
}

function inOrganization<O extends DashboardOperation, I>(
  operation: O,
  schema: z.ZodType<I>,
  work: (call: Call<I>, ids: Ids) => Promise<DashboardAnswer<O>>,
): DashboardRoute {
  const { role } = DASHBOARD_OPERATIONS[operation];
  return {
    operation,
    answer: async (request, sub, ids, members) => {
      const orgId = named(ids, 'org_id');
      const member = await requireMembership(orgId, sub, role === 'admin' ? 'admin' : 'member', members);
      return DASHBOARD_ANSWERS[operation].parse(await work({ member, input: requestInput(request, schema) }, ids));
    },
  };
}

/** Returns an id of the path. The type OperationAt guarantees that the path has it. */
function named(ids: Ids, name: keyof Ids): string {
  const id = ids[name];
  if (id === undefined) throw new Error(`The path of the operation names no ${name}`);
  return id;
}

/** Creates the handler of the dashboard's API. Its error responses have a code, and the field when the input is wrong. */
export function dashboardHandler(logger: Logger, routes: readonly DashboardRoute[], members: MembershipReads) {
  return httpHandler(logger, (request) => dashboardReply(routes, request, members));
}

/**
 * Finds the operation of a request and runs it.
 * @throws Refusal 404 for a path without an operation, and the refusals of the operation
 */
async function dashboardReply(
  routes: readonly DashboardRoute[],
  request: HttpRequest,
  members: MembershipReads,
): Promise<HttpReply> {
  // The route's authorizer verifies the access token. A request without its subject is refused.
  if (request.subject === undefined) throw new Refusal('login_required');
  for (const route of routes) {
    const { method, path, status } = DASHBOARD_OPERATIONS[route.operation];
    const ids = method === request.method ? match(DASHBOARD_API_PATH + path, request.rawPath) : undefined;
    if (ids === undefined) continue;
    try {
      return { status, body: await route.answer(request, request.subject, ids, members) };
    } catch (error) {
      if (!(error instanceof StaleVersion) || error.current === undefined) throw error;
      return { status: 409, body: staleBody(error.message, error.current) };
    }
  }
  throw new Refusal('not_found');
}

function staleBody(error: string, current: NonNullable<StaleVersion['current']>): StaleAnswer {
  return {
    success: false,
    code: 'stale_version',
    error,
    current: 'action_id' in current ? actionView(current) : assistantView(current),
  };
}

function requestInput<I>(request: HttpRequest, schema: z.ZodType<I>): I {
  const hasBody = request.method === 'POST' || request.method === 'PATCH';
  return inputOf(schema, hasBody ? request.readBody() : request.query);
}

/** Returns the ids of a path that matches the pattern; undefined for any other path. */
function match(pattern: string, path: string): Ids | undefined {
  const wanted = pattern.split('/');
  const parts = path.split('/');
  if (wanted.length !== parts.length) return undefined;
  const ids: { -readonly [Name in keyof Ids]: Ids[Name] } = {};
  for (const [index, part] of wanted.entries()) {
    const text = parts[index] ?? '';
    if (part === '{org_id}' || part === '{site_id}' || part === '{action_id}') {
      if (!identifier.safeParse(text).success) return undefined;
      if (part === '{org_id}') ids.org_id = text;
      if (part === '{site_id}') ids.site_id = text;
      if (part === '{action_id}') ids.action_id = text;
    } else if (part !== text) return undefined;
  }
  return ids;
}
