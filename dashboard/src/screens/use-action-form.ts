import { type SubmitEvent, useState } from 'react';
import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { differences, useEdit } from '../parts/use-edit.ts';
import { useProblems } from '../parts/use-problems.ts';
import { ApiError } from '../session/api-error.ts';
import { actionSettings, actionValues, type EditedAction, isStored, settingsChange } from './action-values.ts';

const LABELS: Readonly<Record<string, string>> = {
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

/** Edits and saves an Action. The API validates it, creates it only once, and refuses a change of an older version. */
export function useActionForm(assistant: AssistantView, action: EditedAction) {
  const { api, organization, notify, report } = useDashboard();
  const { org_id } = organization;
  const key = `${assistant.site_id}.action.${isStored(action) ? action.action_id : 'new'}`;
  const edit = useEdit<EditedAction, ReturnType<typeof actionValues>>(key, action, actionValues);
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [saving, setSaving] = useState(false);
  const problems = useProblems(edit.values);
  const [current, setCurrent] = useState<ActionView>();

  const write = async () => {
    if (!isStored(edit.base)) {
      const settings = actionSettings(edit.values);
      if (settings === undefined)
        throw new ApiError(400, { code: 'invalid_request', field: 'trigger', error: 'trigger: choose one' });
      const body = { idempotency_key: idempotencyKey, action: settings };
      const created = await api('createAction', { org_id, site_id: assistant.site_id }, { body });
      return `${created.name} was created. Test it to check that your endpoint accepts the request.`;
    }
    const change = settingsChange(actionValues(edit.base), edit.values);
    const { action_id, version } = edit.base;
    const saved = await api('updateAction', { org_id, action_id }, { body: { version, change } });
    return `${saved.name} was saved.`;
  };

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setSaving(true);
    problems.clear();
    try {
      const message = await write();
      edit.reset();
      notify(message);
      navigate(paths.assistant(org_id, assistant.site_id, 'intelligence'));
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
