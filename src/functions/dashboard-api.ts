import * as z from 'zod';
import type { Action } from '../contract/actions.ts';
import type { Assistant } from '../contract/assistants.ts';
import { DASHBOARD_SCHEMAS, type DashboardAnswer, type StaleAnswer, staleAnswer } from '../contract/dashboard.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATION_NAMES,
  DASHBOARD_OPERATIONS,
  type DashboardOperation,
  type Operation,
} from '../contract/dashboard-operations.ts';
import { jsonObject } from '../contract/fields.ts';
import type { Membership, Role } from '../contract/organizations.ts';
import { checkPage, normalizedEntry } from '../contract/page-check.ts';
import { identifier } from '../contract/widget.ts';
import {
  actionOf,
  createAction,
  deleteAction,
  updateAction,
  viewOfAction,
  withChange,
} from '../domain/actions/manage-actions.ts';
import { normalizeIpAddress } from '../domain/auth/ip-addresses.ts';
import type { Context, ManagementContext, Members } from '../domain/context.ts';
import type { Invocation } from '../domain/facts.ts';
import { StaleVersion, saveAt } from '../domain/organizations/changes.ts';
import {
  assistantOf,
  createAssistant,
  generateServerSecret,
  updateAssistant,
  viewOfAssistant,
} from '../domain/organizations/manage-assistants.ts';
import { listMembers, reportUnreadable, requireMembership, whoAmI } from '../domain/organizations/manage-members.ts';
import { inputOf, Refusal } from '../domain/refusal.ts';
import { type HttpRequest, httpHandler } from './http.ts';
import type { Shell } from './invocation.ts';

type Ids = Readonly<Record<string, string>>;

type UserCall = {
  readonly request: HttpRequest;
  /** The user's id in the user pool, from the verified access token. */
  readonly sub: string;
  readonly ids: Ids;
  /** The role that the operation needs in an organization; `member` for an operation of every user, which does not ask. */
  readonly role: Role;
  readonly members: Members;
  readonly invocation: Invocation;
};

type MemberCall<I> = UserCall & { readonly member: Membership; readonly input: I };

/** The work of each operation. Its answer is checked by the operation's schema. */
export type DashboardWork = {
  readonly [O in DashboardOperation]: (call: UserCall) => Promise<DashboardAnswer<O>>;
};

/** Defines an operation of a user. */
const forUser =
  <I, A>(schema: z.ZodType<I>, work: (call: UserCall & { readonly input: I }) => Promise<A>) =>
  async (call: UserCall): Promise<A> =>
    work({ ...call, input: requestInput(call.request, schema) });

/**
 * Defines an operation in an organization. Checks the caller's current role before it parses the input. `work` must check that the
 * assistant or the Action belongs to the organization.
 */
const forMember =
  <I, A>(schema: z.ZodType<I>, work: (call: MemberCall<I>) => Promise<A>) =>
  async (call: UserCall): Promise<A> => {
    const member = await requireMembership(call.ids.org_id ?? '', call.sub, call.role, call.members);
    return work({ ...call, member, input: requestInput(call.request, schema) });
  };

/** Creates the handler of the dashboard's API, which finds the operation of a request and runs it. Refuses a path without an operation with 404. */
export function dashboardHandler(shell: Shell, work: DashboardWork, members: Members) {
  const routes = DASHBOARD_OPERATION_NAMES.map((operation) => ({ operation, match: matcherOf(operation) }));
  return httpHandler(shell, async (request, invocation) => {
    const { subject: sub } = request;
    // API Gateway has verified the access token; this refuses a request for which it named no user.
    if (sub === undefined) throw new Refusal('login_required');
    for (const { operation, match } of routes) {
      const { method, role, status = 200 }: Operation = DASHBOARD_OPERATIONS[operation];
      const ids = method === request.method ? match(request.rawPath) : undefined;
      if (ids === undefined) continue;
      try {
        const call = { request, sub, ids, role: role === 'user' ? 'member' : role, members, invocation } as const;
        return { status, body: DASHBOARD_SCHEMAS[operation].answer.parse(await work[operation](call)) };
      } catch (error) {
        if (!(error instanceof StaleVersion) || error.current === undefined) throw error;
        return { status: 409, body: staleBody(error.message, error.current) };
      }
    }
    throw new Refusal('not_found');
  });
}

/** Returns the refusal of a save of what somebody else has changed meanwhile, for the form, which shows `current`. */
function staleBody(error: string, stored: NonNullable<StaleVersion['current']>): StaleAnswer {
  const current = 'action_id' in stored ? viewOfAction(stored) : viewOfAssistant(stored);
  return staleAnswer.parse({ success: false, code: 'stale_version', error, current });
}

function requestInput<I>(request: HttpRequest, schema: z.ZodType<I>): I {
  const hasBody = request.method === 'POST' || request.method === 'PATCH';
  return inputOf(schema, hasBody ? request.readBody() : request.query);
}

/** Returns what finds the ids in a path of the operation, such as `site_id` for `{site_id}`. */
function matcherOf(operation: DashboardOperation): (path: string) => Ids | undefined {
  const path = DASHBOARD_API_PATH + DASHBOARD_OPERATIONS[operation].path;
  const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  return (text) => {
    const ids = pattern.exec(text);
    if (ids === null) return undefined;
    const pathIds = { ...ids.groups };
    return Object.values(pathIds).every((id) => identifier.safeParse(id).success) ? pathIds : undefined;
  };
}

export type DashboardContext = Omit<ManagementContext, 'author'> &
  Context<'members' | 'requestCounts' | 'testAction' | 'sealSigningSecret'>;

const nothing = z.object({});
// These accept any settings, because the domain validates them and also checks hosts and addresses.
const assistantCreation = DASHBOARD_SCHEMAS.createAssistant.body.extend({ assistant: jsonObject });
const actionCreation = DASHBOARD_SCHEMAS.createAction.body.extend({ action: jsonObject });
const assistantUpdate = DASHBOARD_SCHEMAS.updateAssistant.body.extend({ change: jsonObject });
const actionTest = DASHBOARD_SCHEMAS.testAction.body.extend({ change: jsonObject.optional() });
const actionUpdate = DASHBOARD_SCHEMAS.updateAction.body.extend({ change: jsonObject });

export function dashboardWork(context: DashboardContext): DashboardWork {
  /** Returns the context of a change that this member makes, with the author for its audit record. */
  const authoredContext = (member: Membership, creationKey?: string) => ({
    ...context,
    author: { kind: 'admin' as const, membership: member, creationKey },
  });
  // Both refuse what is not of the member's organization with 404.
  const assistant = async ({ request, member, ids }: MemberCall<unknown>): Promise<Assistant> => {
    const storedAssistant = await assistantOf(member, ids.site_id ?? '', context);
    request.logSite(storedAssistant);
    return storedAssistant;
  };
  const action = async ({ request, member, ids }: MemberCall<unknown>): Promise<Action> => {
    const storedAction = await actionOf(member, ids.action_id ?? '', context);
    request.logSite(storedAction);
    return storedAction;
  };
  return {
    me: forUser(nothing, ({ sub, invocation }) => whoAmI(sub, context, invocation)),
    checkHosts: forUser(DASHBOARD_SCHEMAS.checkHosts.body, async ({ input: { entries, page, addresses } }) => ({
      entries: entries.map((entry) => ({ entry, normalized: normalizedEntry(entry) })),
      page: page === undefined ? null : checkPage(page.address, { ...page, allowed_domains: entries }),
      addresses: addresses.map((address) => ({ address, normalized: normalizeIpAddress(address) ?? null })),
    })),

    listAssistants: forMember(DASHBOARD_SCHEMAS.listAssistants.query, async ({ member, input, invocation }) => {
      const { assistants, unreadable, next = null } = await context.store.assistantsPage(member.org_id, input.after);
      for (const { site_id, cause } of unreadable)
        invocation.reportFact({ kind: 'assistant_unreadable', site_id, cause });
      const shownAssistants = assistants.filter(({ deleting }) => !deleting).map(viewOfAssistant);
      return { assistants: shownAssistants, unreadable: unreadable.map(({ site_id }) => ({ site_id })), next };
    }),
    createAssistant: forMember(assistantCreation, async ({ member, input }) => {
      const creationContext = authoredContext(member, input.idempotency_key);
      return viewOfAssistant(await createAssistant(member.org_id, input.assistant, creationContext));
    }),
    getAssistant: forMember(nothing, async (call) => viewOfAssistant(await assistant(call))),
    updateAssistant: forMember(assistantUpdate, async (call) => {
      const { member, input } = call;
      const save = (seen: Assistant) => updateAssistant(seen, input.change, authoredContext(member));
      return viewOfAssistant(await saveAt(input.version, () => assistant(call), save));
    }),
    generateServerSecret: forMember(DASHBOARD_SCHEMAS.generateServerSecret.body, async (call) => {
      const { member, input } = call;
      const generate = (seen: Assistant) => generateServerSecret(seen, input, authoredContext(member));
      const generated = await saveAt(input.version, () => assistant(call), generate);
      return { server_secret: generated.serverSecret, assistant: viewOfAssistant(generated.assistant) };
    }),
    getInstallation: forMember(nothing, async (call) => {
      const { site_id } = await assistant(call);
      const { this_hour, last_24_hours } = await context.requestCounts(site_id);
      return { requests_this_hour: this_hour, requests_last_24_hours: last_24_hours };
    }),

    listActions: forMember(nothing, async ({ member, invocation: { reportFact } }) => {
      const { actions, unreadable } = await context.store.listActions(member.org_id);
      for (const { action_id, cause } of unreadable) reportFact({ kind: 'action_unreadable', action_id, cause });
      return { actions: actions.map(viewOfAction), unreadable: unreadable.map(({ action_id }) => ({ action_id })) };
    }),
    createAction: forMember(actionCreation, async (call) => {
      const { member, input } = call;
      const creationContext = authoredContext(member, input.idempotency_key);
      return viewOfAction(await createAction(await assistant(call), input.action, creationContext));
    }),
    getAction: forMember(nothing, async (call) => viewOfAction(await action(call))),
    updateAction: forMember(actionUpdate, async (call) => {
      const { member, input } = call;
      const save = (seen: Action) => updateAction(seen, input.change, authoredContext(member));
      return viewOfAction(await saveAt(input.version, () => action(call), save));
    }),
    deleteAction: forMember(DASHBOARD_SCHEMAS.deleteAction.query, async (call) => {
      const remove = (seen: Action) => deleteAction(seen, authoredContext(call.member));
      await saveAt(call.input.version, () => action(call), remove);
      return { deleted: true };
    }),
    testAction: forMember(actionTest, async (call) => {
      const { change } = call.input;
      const testedAction = await action(call);
      // Only checks the change, because one that is nested too deeply cannot be passed on to the action-test function.
      withChange(testedAction, change ?? {});
      return context.testAction(testedAction.org_id, testedAction.action_id, change);
    }),

    listMembers: forMember(nothing, async ({ member, invocation }) => {
      const { memberships, unreadable } = await listMembers(member.org_id, context.members);
      return { members: [...memberships], unreadable: reportUnreadable(unreadable, invocation) };
    }),
    listAudit: forMember(DASHBOARD_SCHEMAS.listAudit.query, async ({ member, input: { after }, invocation }) => {
      const { records, unreadable, next = null } = await context.store.auditPage(member.org_id, after);
      // An ARN of the operator names an account and often a person, who are no matter of the customer.
      const shownRecords = records.map(({ by: { arn: _, ...by }, ...record }) => ({ ...record, by }));
      return { records: shownRecords, unreadable: reportUnreadable(unreadable, invocation), next };
    }),
  };
}
