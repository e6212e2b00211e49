import type { Method, Trigger } from '../../../src/contract/action-kinds.ts';
import type { SettingsByTrigger } from '../../../src/contract/action-shape.ts';
import type { ActionSetting, FormField } from '../../../src/contract/actions.ts';
import type { ActionView, AssistantView, DashboardBody } from '../../../src/contract/dashboard.ts';
import { EVENT_CATALOG, type EventName } from '../../../src/contract/events.ts';
import { NAME_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { changedValues, type EditedForm, type FieldsOf, type Labels, useForm } from '../parts/form.ts';
import { isolatedTexts } from '../parts/texts.tsx';
import { currentAction } from '../session/problems.ts';

/** The settings that the form has: all of the contract but the parameters. One that is not named, read, written or shown is a type error. */
export type FormSetting = Exclude<ActionSetting, 'parameters'>;
type FormSettingOf<Of extends Trigger> = FormSetting & keyof SettingsByTrigger[Of];

/** The names of the settings of an Action. */
export const LABELS: Labels = {
  name: 'Name',
  method: 'Method',
  url: 'Endpoint URL',
  enabled: 'Enabled',
  events: 'Events',
  description: 'Description',
  feed_response_back: 'Response handling',
  response_field_map: 'Response field map',
  form_fields: 'Form fields',
} satisfies Record<FormSetting, string>;

/** The values of the form of an Action, for every trigger. `id` identifies a row while its key or name changes. */
export type ActionValues = {
  readonly trigger: Trigger | undefined;
  readonly name: string;
  readonly method: Method;
  readonly url: string;
  readonly enabled: boolean;
  readonly events: readonly EventName[];
  readonly description: string;
  readonly feed_response_back: boolean;
  readonly response_field_map: readonly Readonly<Record<'id' | 'name' | 'path', string>>[];
  readonly form_fields: readonly (FormField & {
    readonly id: string;
    /** Whether the endpoint knows it, under its id. */
    readonly isKnownToEndpoint: boolean;
  })[];
};

/** What the fields of a trigger need. */
export type ActionFields = { readonly form: FieldsOf<ActionValues> };

/** Returns what follows the name of a reserved event. */
export const notYetFiring = (name: EventName) => (EVENT_CATALOG[name].reserved ? ' (not yet firing)' : '');

/** An Action that does not exist yet. */
export const emptyAction = { version: 0 } as const;
export type EditedAction = ActionView | typeof emptyAction;

/** Returns whether an Action exists already. */
export function isStored(action: EditedAction): action is ActionView {
  return action.version > 0;
}

/** The values of a new form. */
const BLANK: ActionValues & Record<FormSetting, unknown> = {
  trigger: undefined,
  name: '',
  method: 'POST',
  url: '',
  enabled: true,
  events: [],
  description: '',
  feed_response_back: false,
  response_field_map: [],
  form_fields: [],
};

function actionValues(action: EditedAction): ActionValues {
  if (!isStored(action)) return BLANK;
  const { trigger, name, method, url, enabled } = action;
  const common = { name, method, url, enabled };
  const valuesOf = <Of extends Trigger>(values: Pick<ActionValues, FormSettingOf<Of>>) => ({
    ...BLANK,
    ...values,
    trigger,
  });
  switch (action.trigger) {
    case 'Event':
      return valuesOf<'Event'>({ ...common, events: action.events });
    case 'AI-decided': {
      const map = Object.entries(action.response_field_map ?? {});
      const { description, feed_response_back } = action;
      const response_field_map = map.map(([field, path]) => ({ id: field, name: field, path }));
      return valuesOf<'AI-decided'>({ ...common, description, feed_response_back, response_field_map });
    }
    case 'Form':
      return valuesOf<'Form'>({
        ...common,
        form_fields: action.form_fields.map((field) => ({ ...field, id: field.key, isKnownToEndpoint: true })),
      });
  }
}

/** Returns the values of a copy, which is off, and whose form fields no endpoint knows yet. */
const copiedValues = (values: ActionValues): ActionValues => ({
  ...values,
  name: `Copy of ${values.name}`.slice(0, NAME_MAX_CHARACTERS),
  enabled: false,
  form_fields: values.form_fields.map((field) => ({ ...field, id: crypto.randomUUID(), isKnownToEndpoint: false })),
});

/** What is written for a trigger. An empty response field map is none. */
type WrittenSettings<Of extends Trigger> = Record<
  'trigger' | Exclude<FormSettingOf<Of>, 'response_field_map'>,
  unknown
>;

/** Returns the settings for the API, with the fields of the trigger only. @throws Error before a trigger is chosen */
function settingsOfForm(values: ActionValues): DashboardBody<'createAction'>['action'] {
  const { trigger, name, method, url, enabled, description, feed_response_back } = values;
  const common = { name, method, url, enabled };
  switch (trigger) {
    case 'Event':
      return { trigger, ...common, events: [...values.events] } satisfies WrittenSettings<'Event'>;
    case 'AI-decided': {
      const map = values.response_field_map.map(({ id, ...entry }) => entry);
      const settings = { trigger, ...common, description, feed_response_back } satisfies WrittenSettings<'AI-decided'>;
      return map.length > 0 ? { ...settings, response_field_map: map } : settings;
    }
    case 'Form':
      return {
        trigger,
        ...common,
        form_fields: values.form_fields.map(({ id, isKnownToEndpoint, ...field }) => field),
      } satisfies WrittenSettings<'Form'>;
    case undefined:
      throw new Error('No trigger is chosen');
  }
}

/** Returns the settings that the input changes; null removes one. */
export function actionChangeOf(base: ActionView, values: ActionValues) {
  const changedSettings = changedValues(settingsOfForm(actionValues(base)), settingsOfForm(values));
  return Object.fromEntries(Object.entries(changedSettings).map(([field, value]) => [field, value ?? null]));
}

/**
 * Edits and saves an Action. The API creates it only once.
 * @param template the Action of which a new one is a copy. The copy is off, and the service generates another signing secret for it
 */
export function useActionForm(
  { site_id, name }: AssistantView,
  action: EditedAction,
  template: ActionView | undefined,
): EditedForm<EditedAction, ActionValues> {
  const { api, organization, notify } = useDashboard();
  const { org_id } = organization;
  const placeOf = (id: string) => ({ key: `${site_id}.action.${id}`, path: paths.action(org_id, site_id, id) });
  const newKey = template === undefined ? 'new' : `copy.${template.action_id}`;
  /** The address of this form at the time of this render. Another one after a save means that the user has left the form meanwhile. */
  const formPath = window.location.pathname;
  const idOf = (saved: EditedAction) => (isStored(saved) ? saved.action_id : newKey);

  const create = (values: ActionValues, idempotency_key: string) => {
    const settings = settingsOfForm(values);
    // A copy has the parameters too, which the form does not show.
    const hidden = template?.trigger === 'AI-decided' && template.parameters && { parameters: template.parameters };
    const settingsOfCopy = settings.trigger === 'AI-decided' ? { ...settings, ...hidden } : settings;
    return api('createAction', { org_id, site_id }, { body: { idempotency_key, action: settingsOfCopy } });
  };
  const update = (base: ActionView, values: ActionValues) => {
    const { action_id, version } = base;
    const change = actionChangeOf(base, values);
    return api('updateAction', { org_id, action_id }, { body: { version, change } });
  };
  return useForm<EditedAction, ActionValues>({
    key: placeOf(idOf(action)).key,
    ...(isStored(action) && { id: action.action_id }),
    title: `Action ${isStored(action) ? action.name : '(new)'} of ${name}`,
    path: template === undefined ? placeOf(idOf(action)).path : paths.copy(org_id, site_id, template.action_id),
    entity: action,
    pick: actionValues,
    initial: template && copiedValues(actionValues(template)),
    labels: LABELS,
    newerIn: currentAction,
    write: ({ base, values, id }) => (isStored(base) ? update(base, values) : create(values, id)),
    continuesIn: (saved) => placeOf(idOf(saved)),
    onSaved: (savedAction, hasFurtherInput) => {
      // What was typed during the save is not saved yet, so its form stays open.
      const next = hasFurtherInput
        ? paths.action(org_id, site_id, idOf(savedAction))
        : paths.assistant(org_id, site_id, 'intelligence');
      if (window.location.pathname === formPath && next !== formPath) navigate(next);
      const { name } = actionValues(savedAction);
      notify(
        isStored(action)
          ? isolatedTexts`${name} was saved.`
          : isolatedTexts`${name} was created. Test it to check that your endpoint accepts the request.`,
      );
    },
  });
}
