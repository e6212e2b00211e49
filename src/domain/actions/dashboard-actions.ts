import type { Action } from '../../contract/actions.ts';
import type { ActionView } from '../../contract/dashboard.ts';
import { EVENT_NAMES } from '../../contract/events.ts';
import type { Membership } from '../../contract/members.ts';
import { createOnce } from '../organizations/create-once.ts';
import { assistantOf } from '../organizations/dashboard-assistants.ts';
import type { RecordedStores } from '../organizations/recorded-changes.ts';
import { saveAt } from '../organizations/stale-version.ts';
import { Refusal } from '../refusal.ts';
import { createAction, deleteAction, type ManageActionsPorts, updateAction } from './manage-actions.ts';

type Ports = ManageActionsPorts & RecordedStores;

/** Returns the part of an Action that the dashboard may show: no signing secret, no restrictions, and only events of this catalog. */
export function actionView(action: Action): ActionView {
  const { sealed_signing_secret, suspended, daily_outbound_quota, ...visible } = action;
  if (visible.trigger !== 'Event') return visible;
  return { ...visible, events: visible.events.flatMap((name) => EVENT_NAMES.filter((known) => known === name)) };
}

/** Returns an Action of the member's organization. @throws Refusal 404, also for an Action of another organization */
export async function actionOf(
  member: Membership,
  actionId: string,
  ports: Pick<ManageActionsPorts, 'store'>,
): Promise<Action> {
  const action = await ports.store.findAction(member.org_id, actionId);
  if (action === undefined) throw new Refusal('action_not_found', { message: `action_id: no Action ${actionId}` });
  return action;
}

/**
 * Creates an Action once per idempotency key.
 * @throws Refusal 400 that names the field, 404, 409 for the 51st Action, a slug in use or a reused idempotency key
 */
export async function createActionOnce(
  admin: Membership,
  siteId: string,
  request: { readonly key: string; readonly input: unknown },
  ports: Ports,
): Promise<Action> {
  await assistantOf(admin, siteId, ports);
  return createOnce(
    admin,
    { key: request.key, input: [siteId, request.input] },
    {
      create: (store) => createAction(siteId, request.input, { ...ports, store }),
      find: (actionId) => ports.store.findAction(admin.org_id, actionId),
    },
    ports,
  );
}

/**
 * Changes the named settings of an Action. Null removes an optional setting.
 * @throws Refusal 400 that names the field, 404, 409 for a slug in use; StaleVersion when `version` is not the current one
 */
export async function saveAction(
  admin: Membership,
  actionId: string,
  save: { readonly version: number; readonly change: Readonly<Record<string, unknown>> },
  ports: Ports,
): Promise<Action> {
  return saveAt(
    save.version,
    () => actionOf(admin, actionId, ports),
    (seen) => updateAction(seen, save.change, { ...ports, store: ports.recorded(admin) }),
  );
}

/** Deletes an Action. @throws Refusal 404; StaleVersion when `version` is not the current one */
export async function removeAction(admin: Membership, actionId: string, version: number, ports: Ports): Promise<void> {
  return saveAt(
    version,
    () => actionOf(admin, actionId, ports),
    (seen) => deleteAction(seen, { store: ports.recorded(admin) }),
  );
}
