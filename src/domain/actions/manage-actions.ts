import {
  ACTION_CHANGES,
  ACTION_SETTINGS,
  type Action,
  actionInput,
  type ParametersSchema,
  type Trigger,
} from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { ActionView } from '../../contract/dashboard.ts';
import { EVENT_NAMES } from '../../contract/events.ts';
import { type JsonObject, jsonBytes } from '../../contract/fields.ts';
import { ACTION_MAX_BYTES, ACTIONS_PER_ORGANIZATION } from '../../contract/limits.ts';
import type { Membership } from '../../contract/organizations.ts';
import { slugOf } from '../../contract/slug.ts';
import type { Author, Context, ManagementContext } from '../context.ts';
import { newSigningSecret } from '../delivery/signing-secret.ts';
import { existingAction, noAssistant } from '../existing.ts';
import { changedFields, existingId, StaleVersion } from '../organizations/changes.ts';
import { createRestricted } from '../organizations/suspension-and-quota.ts';
import { inputOf, invalidField, Refusal } from '../refusal.ts';
import { newEntityId } from '../sources.ts';
import { parametersProblem } from './parameters.ts';

/** Ids of Event Actions have a prefix of their own, by which the event-router reads them without the other Actions. */
const ID_PREFIXES = { Event: 'act', 'AI-decided': 'tool', Form: 'form' } as const satisfies Record<Trigger, string>;

/**
 * Creates an Action on an assistant, with its own signing secret (spec "Action"), once per idempotency key of its author.
 * @throws Refusal 400 that names the field, 409 for the 51st Action, a slug in use or a reused key
 */
export async function createAction(
  { org_id, site_id }: Pick<Assistant, 'org_id' | 'site_id'>,
  input: unknown,
  context: ManagementContext & Context<'sealSigningSecret'>,
): Promise<Action> {
  const settings = inputOf(actionInput, input);
  if (settings.trigger === 'AI-decided') requireUsable(settings.parameters);
  requireSize(settings);
  const action_id = newEntityId(ID_PREFIXES[settings.trigger], context.randomBytes);
  const now = context.now().toISOString();
  const newAction: Action = {
    ...settings,
    action_id,
    org_id,
    site_id,
    slug: slugOf(settings.name, action_id),
    sealed_signing_secret: await context.sealSigningSecret(newSigningSecret(context.randomBytes), action_id),
    created_at: now,
    updated_at: now,
    version: 1,
  };
  const creation = await storeAction(newAction, context);
  if (creation !== 'exists') return creation;
  const earlierAction = await context.store.findAction(org_id, await existingId(action_id, context));
  if (earlierAction?.site_id !== site_id || changedFields(settingsOf(earlierAction), settings).length > 0)
    throw new Refusal('idempotency_key_reused');
  return earlierAction;
}

/** Stores a new Action with the restrictions of its organization. @throws Refusal 409 for the 51st Action or a slug in use, 404 */
async function storeAction(newAction: Action, context: ManagementContext): Promise<Action | 'exists'> {
  const create = (action: Action) => context.store.createAction(action, context.author);
  const creation = await createRestricted(newAction, create, context);
  switch (creation) {
    case 'too_many':
      throw new Refusal('too_many_actions', {
        problem: `an organization has at most ${ACTIONS_PER_ORGANIZATION} Actions`,
      });
    case 'slug_taken':
      throw slugTaken(newAction);
    case 'no_assistant':
      throw noAssistant(newAction.site_id);
    default:
      return creation;
  }
}

/**
 * Changes the named settings of an Action and keeps the others. Null removes an optional setting. The trigger cannot be changed after
 * creation. A new name gives a new slug, so pages and instructions that have the old one no longer find the Action.
 * @throws Refusal 400 that names the field, 409 when the Action was saved in the meantime or the slug is in use
 */
export async function updateAction(
  previous: Action,
  change: JsonObject,
  context: Omit<ManagementContext, 'randomBytes'>,
): Promise<Action> {
  const { trigger = previous.trigger, ...settings } = change;
  if (trigger !== previous.trigger) {
    throw invalidField('trigger', `cannot be changed after creation; it is ${previous.trigger}`);
  }
  const changedAction = withChange(previous, settings);
  requireSize(settingsOf(changedAction));
  const next: Action = {
    ...changedAction,
    // With its name, an Action keeps its slug, also one that an earlier rule made: pages and instructions have it.
    slug: changedAction.name === previous.name ? previous.slug : slugOf(changedAction.name, previous.action_id),
    updated_at: context.now().toISOString(),
    version: previous.version + 1,
  };
  switch (await context.store.replaceAction(previous, next, context.author)) {
    case 'replaced':
      return next;
    case 'stale':
      throw new StaleVersion('Action');
    case 'slug_taken':
      throw slugTaken(next);
  }
}

/** Deletes an Action. @throws Refusal 409 when the Action was saved in the meantime */
export async function deleteAction(
  action: Action,
  { store, author }: Context<'store'> & { readonly author: Author },
): Promise<void> {
  if (!(await store.deleteAction(action, author))) throw new StaleVersion('Action');
}

/** Returns an Action. @throws Refusal 404 */
export const requireAction = async (actionId: string, { store }: Context<'store'>): Promise<Action> =>
  existingAction(await store.findActionById(actionId), actionId);

/** Returns an Action of the member's organization. @throws Refusal 404, also for an Action of another organization */
export const actionOf = async (
  { org_id }: Membership,
  actionId: string,
  { store }: Context<'store'>,
): Promise<Action> => existingAction(await store.findAction(org_id, actionId), actionId);

/** Returns an Action with only events of this catalog. What else the dashboard may not show, the schema of the answer leaves out. */
export function viewOfAction(action: Action): ActionView {
  if (action.trigger !== 'Event') return action;
  return { ...action, events: action.events.flatMap((name) => EVENT_NAMES.filter((event) => event === name)) };
}

/** Returns the settings that an admin can set, without the fields that the service added. */
export function settingsOf(action: Action): JsonObject {
  return Object.fromEntries(Object.entries(action).filter(([name]) => ACTION_SETTINGS.has(name)));
}

/** Applies a change, without saving it. All other fields keep their stored value, including fields of newer code. */
export function withChange(previous: Action, change: JsonObject): Action {
  switch (previous.trigger) {
    case 'Event':
      return { ...previous, ...inputOf(ACTION_CHANGES.Event, change) };
    case 'Form':
      return { ...previous, ...inputOf(ACTION_CHANGES.Form, change) };
    case 'AI-decided': {
      const settings = inputOf(ACTION_CHANGES['AI-decided'], change);
      requireUsable(settings.parameters);
      return { ...previous, ...settings };
    }
  }
}

/** Checks the size of an Action's settings. @throws Refusal 400 that names the largest setting */
function requireSize(settings: object): void {
  // As if it were enabled: `false` is longer, and switching an Action off must not be refused.
  if (jsonBytes({ ...settings, enabled: true }) <= ACTION_MAX_BYTES) return;
  const sizes = Object.entries(settings).map(([name, value]): [string, number] => [name, jsonBytes(value)]);
  const [field = ''] = sizes.reduce((largest, one) => (one[1] > largest[1] ? one : largest));
  throw invalidField(field, `must be smaller: the settings of an Action are at most ${ACTION_MAX_BYTES} bytes of JSON`);
}

function requireUsable(parameters: ParametersSchema | undefined): void {
  const wrong = parameters === undefined ? undefined : parametersProblem(parameters);
  if (wrong !== undefined) throw invalidField(`parameters.${wrong.field}`, wrong.problem);
}

function slugTaken({ trigger, slug }: Action): Refusal {
  const problem = `another ${trigger} Action of this assistant is already called ${slug}`;
  return new Refusal('name_taken', { problem });
}
