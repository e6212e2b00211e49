import type { Method, Trigger } from '../../../src/contract/action-kinds.ts';
import type { ActionSetting, FormField } from '../../../src/contract/actions.ts';
import type { ActionView, DashboardBody } from '../../../src/contract/dashboard.ts';
import { EVENT_CATALOG, type EventName } from '../../../src/contract/events.ts';
import { NAME_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import { differences } from '../parts/use-edit.ts';

/** A form field in the editor. `id` identifies the row while its key changes. */
export type FieldValues = FormField & { readonly id: string };

/** The values of the form of an Action, for every trigger. */
export type ActionValues = {
  readonly trigger: Trigger | undefined;
  readonly name: string;
  readonly method: Method;
  readonly url: string;
  readonly enabled: boolean;
  readonly events: readonly EventName[];
  readonly description: string;
  readonly feed_response_back: boolean;
  readonly response_field_map: readonly { readonly id: string; readonly name: string; readonly path: string }[];
  readonly form_fields: readonly FieldValues[];
};

/** Returns what follows the name of a reserved event. */
export const notYetFiring = (name: EventName) => (EVENT_CATALOG[name].reserved ? ' (not yet firing)' : '');

/** An Action that does not exist yet. */
export const emptyAction = { version: 0 } as const;
export type EditedAction = ActionView | typeof emptyAction;

export function isStored(action: EditedAction): action is ActionView {
  return action.version > 0;
}

export function actionValues(action: EditedAction): ActionValues {
  const blank: ActionValues & Record<Exclude<ActionSetting, 'parameters'>, unknown> = {
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
  if (!isStored(action)) return blank;
  const { trigger, name, method, url, enabled } = action;
  const common = { ...blank, trigger, name, method, url, enabled };
  switch (action.trigger) {
    case 'Event':
      return { ...common, events: action.events };
    case 'AI-decided':
      return {
        ...common,
        description: action.description,
        feed_response_back: action.feed_response_back,
        response_field_map: Object.entries(action.response_field_map ?? {}).map(([field, path]) => ({
          id: field,
          name: field,
          path,
        })),
      };
    case 'Form':
      return { ...common, form_fields: action.form_fields.map((field) => ({ ...field, id: field.key })) };
  }
}

/** Returns the values of a copy of an Action, which is off. */
export function copyOf(action: ActionView): ActionValues {
  const values = actionValues(action);
  return { ...values, name: `Copy of ${values.name}`.slice(0, NAME_MAX_CHARACTERS), enabled: false };
}

/** Returns the settings for the API, with the fields of the trigger only. @throws Error before a trigger is chosen */
export function actionSettings(values: ActionValues): DashboardBody<'createAction'>['action'] {
  const { name, method, enabled } = values;
  const common = { name, method, url: values.url.trim(), enabled };
  switch (values.trigger) {
    case 'Event':
      return { trigger: 'Event', ...common, events: [...values.events] };
    case 'AI-decided': {
      const map = values.response_field_map.map((entry) => [entry.name.trim(), entry.path.trim()]);
      return {
        trigger: 'AI-decided',
        ...common,
        description: values.description,
        feed_response_back: values.feed_response_back,
        ...(map.length === 0 ? {} : { response_field_map: Object.fromEntries(map) }),
      };
    }
    case 'Form':
      return { trigger: 'Form', ...common, form_fields: values.form_fields.map(({ id, ...field }) => field) };
    case undefined:
      throw new Error('No trigger is chosen');
  }
}

/** Returns the changed settings for an update. null removes a setting. */
export function settingsChange(before: ActionValues, after: ActionValues): Readonly<Record<string, unknown>> {
  const changes = differences(actionSettings(before), actionSettings(after));
  return Object.fromEntries(changes.map(({ field, now }) => [field, now ?? null]));
}
