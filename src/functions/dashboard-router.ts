import type { Logger } from '@aws-lambda-powertools/logger';
import type * as z from 'zod';
import { DASHBOARD_SCHEMAS, type DashboardAnswer, type StaleAnswer } from '../contract/dashboard.ts';
import { DASHBOARD_API_PATH, DASHBOARD_OPERATIONS, type DashboardOperation } from '../contract/dashboard-operations.ts';
import type { Membership } from '../contract/members.ts';
import { identifier } from '../contract/widget.ts';
import { actionView } from '../domain/actions/dashboard-actions.ts';
import { type MembershipReads, requireMembership } from '../domain/organizations/access.ts';
import { assistantView } from '../domain/organizations/dashboard-assistants.ts';
import { StaleVersion } from '../domain/organizations/stale-version.ts';
import { inputOf, Refusal } from '../domain/refusal.ts';
import { type HttpReply, type HttpRequest, httpHandler } from './http.ts';

/** A request of a member of an organization. An id that the path of the operation does not have is empty. */
type MemberCall<I> = {
  readonly member: Membership;
  readonly siteId: string;
  readonly actionId: string;
  readonly input: I;
};

/** The ids in the path of an operation, by their names there. */
type Ids = Readonly<Record<string, string>>;

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
      DASHBOARD_SCHEMAS[operation].answer.parse(await work({ sub, input: requestInput(request, schema) })),
  };
}

/**
 * Defines an operation in an organization. Checks the caller's current role before it parses the input. `work` must check that the
 * assistant or the Action belongs to the organization.
 */
export function forMember<O extends DashboardOperation, I>(
  operation: O,
  schema: z.ZodType<I>,
  work: (call: MemberCall<I>) => Promise<DashboardAnswer<O>>,
): DashboardRoute {
  const role = DASHBOARD_OPERATIONS[operation].role === 'admin' ? 'admin' : 'member';
  return {
    operation,
    answer: async (request, sub, { org_id = '', site_id = '', action_id = '' }, members) => {
      const member = await requireMembership(org_id, sub, role, members);
      const call = { member, siteId: site_id, actionId: action_id, input: requestInput(request, schema) };
      return DASHBOARD_SCHEMAS[operation].answer.parse(await work(call));
    },
  };
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
  const ids = new RegExp(`^${pattern.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path);
  if (ids === null) return undefined;
  const named = { ...ids.groups };
  return Object.values(named).every((id) => identifier.safeParse(id).success) ? named : undefined;
}
