import * as z from 'zod';
import { DASHBOARD_SCHEMAS, type TestResult } from '../contract/dashboard.ts';
import { jsonObject } from '../contract/json.ts';
import {
  actionOf,
  actionView,
  createActionOnce,
  removeAction,
  saveAction,
} from '../domain/actions/dashboard-actions.ts';
import type { ManageActionsPorts } from '../domain/actions/manage-actions.ts';
import { checkPage, normalizedEntry } from '../domain/auth/check-hosts.ts';
import { normalizeIpAddress } from '../domain/auth/ip-addresses.ts';
import {
  assistantOf,
  assistantView,
  createAssistantOnce,
  replaceServerSecret,
  saveAssistant,
} from '../domain/organizations/dashboard-assistants.ts';
import { type WhoAmIPorts, whoAmI } from '../domain/organizations/dashboard-member.ts';
import { type ListMembersPorts, listMembers } from '../domain/organizations/manage-members.ts';
import type { RecordedStores } from '../domain/organizations/recorded-changes.ts';
import type { UnreadableAction } from '../domain/organizations/store.ts';
import { type DashboardRoute, forMember, forUser } from './dashboard-router.ts';

export type DashboardPorts = ManageActionsPorts &
  RecordedStores &
  Pick<WhoAmIPorts, 'membershipsOf'> &
  ListMembersPorts & {
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
  return [
    forUser('me', nothing, ({ sub }) => whoAmI(sub, ports)),
    forUser('checkHosts', DASHBOARD_SCHEMAS.checkHosts.body, async ({ input: { entries, page, addresses } }) => ({
      entries: entries.map((entry) => ({ entry, normalized: normalizedEntry(entry) })),
      page: page === undefined ? null : checkPage(page.address, { ...page, allowed_domains: entries }),
      addresses: addresses.map((address) => ({ address, normalized: normalizeIpAddress(address) ?? null })),
    })),

    forMember('listAssistants', DASHBOARD_SCHEMAS.listAssistants.query, async ({ member, input: { after } }) => {
      const { assistants, next = null } = await ports.store.assistantsPage(member.org_id, after);
      return { assistants: assistants.map(assistantView), next };
    }),
    forMember('createAssistant', assistantCreation, async ({ member, input }) =>
      assistantView(await createAssistantOnce(member, { key: input.idempotency_key, input: input.assistant }, ports)),
    ),
    forMember('getAssistant', nothing, async ({ member, siteId }) =>
      assistantView(await assistantOf(member, siteId, ports)),
    ),
    forMember('updateAssistant', assistantUpdate, async ({ member, siteId, input }) =>
      assistantView(await saveAssistant(member, siteId, input, ports)),
    ),
    forMember(
      'generateServerSecret',
      DASHBOARD_SCHEMAS.generateServerSecret.body,
      async ({ member, siteId, input }) => {
        const { assistant, serverSecret } = await replaceServerSecret(member, siteId, input, ports);
        return { server_secret: serverSecret, assistant: assistantView(assistant) };
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
      return { actions: actions.map(actionView), unreadable: unreadable.map(({ action_id }) => ({ action_id })) };
    }),
    forMember('createAction', DASHBOARD_SCHEMAS.createAction.body, async ({ member, siteId, input }) =>
      actionView(await createActionOnce(member, siteId, { key: input.idempotency_key, input: input.action }, ports)),
    ),
    forMember('getAction', nothing, async ({ member, actionId }) =>
      actionView(await actionOf(member, actionId, ports)),
    ),
    forMember('updateAction', actionUpdate, async ({ member, actionId, input }) =>
      actionView(await saveAction(member, actionId, input, ports)),
    ),
    forMember('deleteAction', DASHBOARD_SCHEMAS.deleteAction.query, async ({ member, actionId, input }) => {
      await removeAction(member, actionId, input.version, ports);
      return { deleted: true };
    }),
    forMember('testAction', nothing, async ({ member, actionId }) => {
      const action = await actionOf(member, actionId, ports);
      return ports.testAction(action.org_id, action.action_id);
    }),

    forMember('listMembers', nothing, async ({ member }) => ({
      members: (await listMembers(member.org_id, ports)).map(({ email, role, created_at }) => ({
        email,
        role,
        created_at,
      })),
    })),
    forMember('listAudit', DASHBOARD_SCHEMAS.listAudit.query, async ({ member, input: { after } }) => {
      const { records, next = null } = await ports.auditPage(member.org_id, after);
      return {
        records: records.map(({ by, fields, ...record }) => ({ ...record, by: { ...by }, fields: [...fields] })),
        next,
      };
    }),
  ];
}
