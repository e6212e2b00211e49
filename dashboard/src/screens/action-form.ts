import type { Trigger } from '../../../src/contract/action-kinds.ts';
import type { ActionView, AssistantView, DashboardBody } from '../../../src/contract/dashboard.ts';
import { paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { changeOf, type EditedForm, isStored, type NEW, useForm, valuesOf, writtenSettings } from '../parts/form.ts';
import { isolatedTexts } from '../parts/texts.tsx';
import { ACTION_ROWS, type ActionValues } from './action-settings.tsx';
import { copiedValues } from './copied-values.ts';

export type EditedAction = ActionView | typeof NEW;

export const rowsOf = (trigger: Trigger | undefined) =>
  Object.fromEntries(Object.entries(ACTION_ROWS).filter(([, { only }]) => only === undefined || only === trigger));
/** The trigger has no row above, because it has a panel of its own. */
const ROWS = { ...ACTION_ROWS, trigger: { label: 'Trigger', blank: undefined } };

/** Returns the settings for the API, with those of the trigger only. */
function newActionOf(values: ActionValues): DashboardBody<'createAction'>['action'];
function newActionOf({ trigger, ...values }: ActionValues): object {
  return { trigger, ...writtenSettings(rowsOf(trigger), values) };
}

/** Returns the settings that the input changes; null removes one. */
export const actionChangeOf = (base: ActionView, values: ActionValues) => changeOf(rowsOf(base.trigger), base, values);

/** The API creates an Action once. @param template of which a new one is a copy: off, with another signing secret */
export function useActionForm(
  { site_id, name }: AssistantView,
  action: EditedAction,
  template: ActionView | undefined,
): EditedForm<'action', ActionValues> {
  const { api, organization } = useDashboard();
  const { org_id } = organization;
  const placeOf = (id: string) => ({ key: `${site_id}.action.${id}`, path: paths.action(org_id, site_id, id) });
  const newPlace =
    template === undefined
      ? placeOf('new')
      : { ...placeOf(`copy.${template.action_id}`), path: paths.copy(org_id, site_id, template.action_id) };
  const original = template && valuesOf<ActionValues>(ROWS, template);
  const title = `Action ${isStored(action) ? action.name : '(new)'} of ${name}`;
  return useForm<'action', ActionValues>({
    kind: 'action',
    place: { ...(isStored(action) ? placeOf(action.action_id) : newPlace), title },
    entity: action,
    rows: ROWS,
    initial: original && { ...original, ...copiedValues(original) },
    save: async ({ base, values, id }) => {
      const entity = isStored(base)
        ? await api(
            'updateAction',
            { org_id, action_id: base.action_id },
            { body: { version: base.version, change: actionChangeOf(base, values) } },
          )
        : await api(
            'createAction',
            { org_id, site_id },
            { body: { idempotency_key: id, action: newActionOf(values) } },
          );
      return {
        entity,
        message: isStored(base)
          ? isolatedTexts`${entity.name} was saved.`
          : isolatedTexts`${entity.name} was created. Test it to check that your endpoint accepts the request.`,
        leaveTo: paths.assistant(org_id, site_id, 'intelligence'),
        // What was typed during the save is not saved yet, so its form stays open.
        continuesIn: placeOf(entity.action_id),
      };
    },
  });
}
