import { type SubmitEvent, useState } from 'react';
import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { differences, useEdit } from '../parts/use-edit.ts';
import { useProblems } from '../parts/use-problems.ts';
import { ApiError } from '../session/api-error.ts';
import {
  type ActionValues,
  actionSettings,
  actionValues,
  copyOf,
  type EditedAction,
  isStored,
  settingsChange,
} from './action-values.ts';

/** Names of the settings for people. */
export const LABELS: Readonly<Record<string, string>> = {
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
 * Edits and saves an Action. The API validates it, creates it only once, and refuses a change of an older version.
 * @param template the Action of which a new one is a copy. The copy is off, and asks for a signing secret of its own
 */
export function useActionForm(assistant: AssistantView, action: EditedAction, template?: ActionView) {
  const { api, organization, notify, report } = useDashboard();
  const { org_id } = organization;
  const keyOf = (id: string) => `${assistant.site_id}.action.${id}`;
  const key = keyOf(
    isStored(action) ? action.action_id : template === undefined ? 'new' : `copy.${template.action_id}`,
  );
  const edit = useEdit<EditedAction, ActionValues>(key, action, actionValues, template && copyOf(template));
  const [saving, setSaving] = useState(false);
  const problems = useProblems(edit.values);
  const [current, setCurrent] = useState<ActionView>();

  const write = async () => {
    if (!isStored(edit.base)) {
      const settings = actionSettings(edit.values);
      if (settings === undefined)
        throw new ApiError(400, { code: 'invalid_request', field: 'trigger', error: 'trigger: choose one' });
      // The form does not show parameters.
      const hidden = template?.trigger === 'AI-decided' && template.parameters && { parameters: template.parameters };
      const body = {
        idempotency_key: edit.id,
        action: settings.trigger === 'AI-decided' ? { ...settings, ...hidden } : settings,
      };
      return api('createAction', { org_id, site_id: assistant.site_id }, { body });
    }
    const change = settingsChange(actionValues(edit.base), edit.values);
    const { action_id, version } = edit.base;
    return api('updateAction', { org_id, action_id }, { body: { version, change } });
  };

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setSaving(true);
    problems.clear();
    try {
      const opened = window.location.pathname;
      const saved = await write();
      const typed = edit.saved(saved, edit.values, keyOf(saved.action_id));
      notify(
        isStored(edit.base)
          ? `${saved.name} was saved.`
          : `${saved.name} was created. Test it to check that your endpoint accepts the request.`,
      );
      // What was typed during the save is not saved yet, so its form stays open. A user who has left the form stays where they are.
      const next = typed
        ? paths.action(org_id, assistant.site_id, saved.action_id)
        : paths.assistant(org_id, assistant.site_id, 'intelligence');
      if (window.location.pathname === opened && next !== opened) navigate(next);
    } catch (cause) {
      if (cause instanceof ApiError && cause.current !== undefined && 'action_id' in cause.current) {
        setCurrent(cause.current);
      } else if (!problems.refuse(cause)) report(cause);
    } finally {
      setSaving(false);
    }
  };

  const conflict =
    current === undefined
      ? undefined
      : {
          what: 'Action',
          changes: changesBetween(edit.base, current),
          onKeepMine: () => {
            edit.rebase(current);
            setCurrent(undefined);
          },
          onTakeTheirs: () => {
            edit.reset(current);
            setCurrent(undefined);
          },
        };
  return { edit, isNew: !isStored(action), saving, save, conflict, problems };
}

function changesBetween(before: EditedAction, after: EditedAction) {
  const [old, now] = [actionValues(before), actionValues(after)];
  return differences(old, now).map((field) => ({
    label: LABELS[field] ?? field,
    before: shown(old[field]),
    after: shown(now[field]),
  }));
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return 'other entries';
}
