import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { type EditedForm, type Labels, useForm } from '../parts/use-form.ts';
import { currentAction } from '../session/api-error.ts';
import {
  type ActionValues,
  actionSettings,
  actionValues,
  copyOf,
  type EditedAction,
  isStored,
  settingsChange,
} from './action-values.ts';

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
};

/**
 * Edits and saves an Action. The API creates it only once.
 * @param template the Action of which a new one is a copy. The copy is off, and asks for a signing secret of its own
 */
export function useActionForm(
  assistant: AssistantView,
  action: EditedAction,
  template?: ActionView,
): EditedForm<EditedAction, ActionValues> {
  const { api, organization, notify } = useDashboard();
  const { org_id } = organization;
  const { site_id } = assistant;
  const keyOf = (id: string) => `${site_id}.action.${id}`;
  const newKey = template === undefined ? 'new' : `copy.${template.action_id}`;

  const create = (values: ActionValues, idempotency_key: string) => {
    const settings = actionSettings(values);
    // The form does not show parameters.
    const hidden = template?.trigger === 'AI-decided' && template.parameters && { parameters: template.parameters };
    const action = settings.trigger === 'AI-decided' ? { ...settings, ...hidden } : settings;
    return api('createAction', { org_id, site_id }, { body: { idempotency_key, action } });
  };
  const update = ({ action_id, version }: ActionView, change: object) =>
    api('updateAction', { org_id, action_id }, { body: { version, change } });

  return useForm<EditedAction, ActionValues>({
    key: keyOf(isStored(action) ? action.action_id : newKey),
    entity: action,
    pick: actionValues,
    initial: template && copyOf(template),
    labels: LABELS,
    newerIn: currentAction,
    write: async ({ base, values, id, rebase }) => {
      const opened = window.location.pathname;
      const saved = isStored(base)
        ? await update(base, settingsChange(actionValues(base), values))
        : await create(values, id);
      const typed = rebase(saved, values, keyOf(saved.action_id));
      // What was typed during the save is not saved yet, so its form stays open. A user who has left the form stays where they are.
      const next = typed
        ? paths.action(org_id, site_id, saved.action_id)
        : paths.assistant(org_id, site_id, 'intelligence');
      if (window.location.pathname === opened && next !== opened) navigate(next);
      notify(
        isStored(base)
          ? `${saved.name} was saved.`
          : `${saved.name} was created. Test it to check that your endpoint accepts the request.`,
      );
    },
  });
}
