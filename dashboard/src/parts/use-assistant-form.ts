import { type SubmitEvent, useState } from 'react';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { ApiError } from '../session/api-error.ts';
import { useDashboard } from './context.ts';
import { differences, useEdit } from './use-edit.ts';
import { useProblems } from './use-problems.ts';

/** Names of the settings for people. */
export const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  domain: 'Domain',
  enabled: 'Assistant Status',
  hourly_rate_limit: 'Rate Limit',
  authentication_mode: 'Authentication Mode',
  allowed_domains: 'Allowed Domains',
  ip_allowlist: 'IP allowlist',
  form_order: 'Order of the forms',
  server_secret: 'Server secret',
};

/** Edits and saves the part of an assistant on one tab. When another user has saved a newer version, it shows the changes. */
export function useAssistantForm<V extends object>(options: {
  readonly tab: string;
  readonly assistant: AssistantView;
  readonly pick: (assistant: AssistantView) => V;
  /** Converts the values for the API. */
  readonly toApi?: (values: V) => Readonly<Record<string, unknown>>;
  readonly onSaved: (assistant: AssistantView) => void;
}) {
  const { api, organization, notify, report } = useDashboard();
  const { assistant, pick, onSaved } = options;
  const edit = useEdit(`${assistant.site_id}.${options.tab}`, assistant, pick);
  const [saving, setSaving] = useState(false);
  const problems = useProblems(edit.values);
  const [current, setCurrent] = useState<AssistantView>();

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (edit.changed.length === 0) return;
    setSaving(true);
    problems.clear();
    const values = new Map(Object.entries(options.toApi?.(edit.values) ?? edit.values));
    const change = Object.fromEntries(edit.changed.map((field) => [String(field), values.get(String(field))]));
    try {
      const ids = { org_id: organization.org_id, site_id: assistant.site_id };
      const saved = await api('updateAssistant', ids, { body: { version: edit.base.version, change } });
      edit.saved(saved, edit.values);
      setCurrent(undefined);
      onSaved(saved);
      notify('Saved. The change takes effect with the next request.');
    } catch (cause) {
      if (cause instanceof ApiError && cause.current !== undefined && !('action_id' in cause.current)) {
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
          what: 'assistant',
          changes: changesBetween(edit.base, current),
          onKeepMine: () => {
            edit.rebase(current);
            setCurrent(undefined);
          },
          onTakeTheirs: () => {
            edit.reset(current);
            onSaved(current);
            setCurrent(undefined);
          },
        };
  return { edit, saving, save, conflict, problems };
}

function changesBetween(before: AssistantView, after: AssistantView) {
  const fields = differences(before, after).filter((field) => LABELS[field] !== undefined);
  return fields.map((field) => ({
    label: LABELS[field] ?? field,
    before: shown(before[field]),
    after: shown(after[field]),
  }));
}

function shown(value: AssistantView[keyof AssistantView]): string {
  if (value === null || value === '') return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(', ');
  return typeof value === 'object' ? `…${value.last_six}` : String(value);
}
