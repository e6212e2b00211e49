import type { Logger } from '@aws-lambda-powertools/logger';
import * as z from 'zod';
import { DASHBOARD_SCHEMAS, type DashboardAnswer, type StaleAnswer, type TestResult } from '../contract/dashboard.ts';
import { DASHBOARD_API_PATH, DASHBOARD_OPERATIONS, type DashboardOperation } from '../contract/dashboard-operations.ts';
import { jsonObject } from '../contract/fields.ts';
import type { Membership } from '../contract/organizations.ts';
import { checkPage, normalizedEntry } from '../contract/page-check.ts';
import { identifier } from '../contract/widget.ts';
import {
  actionOf,
  createAction,
  deleteAction,
  type ManageActionsPorts,
  updateAction,
  viewOfAction,
} from '../domain/actions/manage-actions.ts';
import { normalizeIpAddress } from '../domain/auth/ip-addresses.ts';
import { type AuditTrail, StaleVersion, saveAt } from '../domain/organizations/changes.ts';
import {
  assistantOf,
  createAssistant,
  generateServerSecret,
  updateAssistant,
  viewOfAssistant,
} from '../domain/organizations/manage-assistants.ts';
import {
  type ListMembersPorts,
  listMembers,
  type MembershipReads,
  requireMembership,
  type WhoAmIPorts,
  whoAmI,
} from '../domain/organizations/manage-members.ts';
import type { UnreadableAction } from '../domain/organizations/store.ts';
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
    current: 'action_id' in current ? viewOfAction(current) : viewOfAssistant(current),
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

export type DashboardPorts = ManageActionsPorts &
  WhoAmIPorts &
  ListMembersPorts & {
    readonly audit: AuditTrail;
    /** Reports an Action that cannot be read to the operator. */
    readonly reportUnreadable: (action: UnreadableAction) => void;
    /** Returns how many requests the hourly limit of an assistant counted, in this clock hour and in the last 24 hours. */
    readonly requestCounts: (siteId: string) => Promise<{ readonly this_hour: number; readonly last_24_hours: number }>;
    readonly testAction: (orgId: string, actionId: string) => Promise<TestResult>;
  };

const nothing = z.object({});
/** Accepts any settings, because the domain validates them and also checks hosts and addresses. */
const assistantCreation = DASHBOARD_SCHEMAS.createAssistant.body.extend({ assistant: jsonObject });
const assistantUpdate = DASHBOARD_SCHEMAS.updateAssistant.body.extend({ change: jsonObject });
const actionUpdate = DASHBOARD_SCHEMAS.updateAction.body.extend({ change: jsonObject });

/** Returns all operations of the dashboard's API (docs/openapi.json). */
export function dashboardRoutes(ports: DashboardPorts): readonly DashboardRoute[] {
  const by = (member: Membership, creationKey?: string) => ({
    ...ports,
    author: { by: member, at: ports.now(), ...(creationKey === undefined ? {} : { creationKey }) },
  });
  const assistant = (member: Membership, siteId: string) => () => assistantOf(member, siteId, ports);
  const action = (member: Membership, actionId: string) => () => actionOf(member, actionId, ports);
  return [
    forUser('me', nothing, ({ sub }) => whoAmI(sub, ports)),
    forUser('checkHosts', DASHBOARD_SCHEMAS.checkHosts.body, async ({ input: { entries, page, addresses } }) => ({
      entries: entries.map((entry) => ({ entry, normalized: normalizedEntry(entry) })),
      page: page === undefined ? null : checkPage(page.address, { ...page, allowed_domains: entries }),
      addresses: addresses.map((address) => ({ address, normalized: normalizeIpAddress(address) ?? null })),
    })),

    forMember('listAssistants', DASHBOARD_SCHEMAS.listAssistants.query, async ({ member, input: { after } }) => {
      const { assistants, next = null } = await ports.store.assistantsPage(member.org_id, after);
      return { assistants: assistants.map(viewOfAssistant), next };
    }),
    forMember('createAssistant', assistantCreation, async ({ member, input }) =>
      viewOfAssistant(await createAssistant(member.org_id, input.assistant, by(member, input.idempotency_key))),
    ),
    forMember('getAssistant', nothing, async ({ member, siteId }) =>
      viewOfAssistant(await assistantOf(member, siteId, ports)),
    ),
    forMember('updateAssistant', assistantUpdate, async ({ member, siteId, input }) =>
      viewOfAssistant(
        await saveAt(input.version, assistant(member, siteId), (seen) =>
          updateAssistant(seen, input.change, by(member)),
        ),
      ),
    ),
    forMember(
      'generateServerSecret',
      DASHBOARD_SCHEMAS.generateServerSecret.body,
      async ({ member, siteId, input }) => {
        const generated = await saveAt(input.version, assistant(member, siteId), (seen) =>
          generateServerSecret(seen, input, by(member)),
        );
        return { server_secret: generated.serverSecret, assistant: viewOfAssistant(generated.assistant) };
      },
    ),
    forMember('getInstallation', nothing, async ({ member, siteId }) => {
      const assistant = await assistantOf(member, siteId, ports);
      const { this_hour, last_24_hours } = await ports.requestCounts(assistant.site_id);
      return { requests_this_hour: this_hour, requests_last_24_hours: last_24_hours };
    }),

    forMember('listActions', nothing, async ({ member }) => {
      const { actions, unreadable } = await ports.store.listActions(member.org_id);
      unreadable.forEach(ports.reportUnreadable);
      return { actions: actions.map(viewOfAction), unreadable: unreadable.map(({ action_id }) => ({ action_id })) };
    }),
    forMember('createAction', DASHBOARD_SCHEMAS.createAction.body, async ({ member, siteId, input }) => {
      const { site_id } = await assistantOf(member, siteId, ports);
      return viewOfAction(await createAction(site_id, input.action, by(member, input.idempotency_key)));
    }),
    forMember('getAction', nothing, async ({ member, actionId }) =>
      viewOfAction(await actionOf(member, actionId, ports)),
    ),
    forMember('updateAction', actionUpdate, async ({ member, actionId, input }) =>
      viewOfAction(
        await saveAt(input.version, action(member, actionId), (seen) => updateAction(seen, input.change, by(member))),
      ),
    ),
    forMember('deleteAction', DASHBOARD_SCHEMAS.deleteAction.query, async ({ member, actionId, input }) => {
      await saveAt(input.version, action(member, actionId), (seen) => deleteAction(seen, by(member)));
      return { deleted: true };
    }),
    forMember('testAction', nothing, async ({ member, actionId }) => {
      const action = await actionOf(member, actionId, ports);
      return ports.testAction(action.org_id, action.action_id);
    }),

    forMember('listMembers', nothing, async ({ member }) => ({
      members: [...(await listMembers(member.org_id, ports))],
    })),
    forMember('listAudit', DASHBOARD_SCHEMAS.listAudit.query, async ({ member, input: { after } }) => {
      const { records, next = null } = await ports.audit.auditPage(member.org_id, after);
      return { records: [...records], next };
    }),
  ];
}
