import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { currentAssistant } from '../session/api-error.ts';
import { useDashboard } from './context.ts';
import { type EditedForm, type Labels, useForm } from './use-form.ts';

export const LABELS: Labels = {
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

/** Edits and saves the part of an assistant on one tab. @param options.toApi converts the values for the API */
export function useAssistantForm<V extends object>(options: {
  readonly tab: string;
  readonly assistant: AssistantView;
  readonly pick: (assistant: AssistantView) => V;
  readonly toApi?: (values: V) => object;
  readonly onSaved: (assistant: AssistantView) => void;
}): EditedForm<AssistantView, V> {
  const { api, organization, notify } = useDashboard();
  const { assistant, pick, toApi = (values) => values, onSaved } = options;
  return useForm({
    key: `${assistant.site_id}.${options.tab}`,
    entity: assistant,
    pick,
    labels: LABELS,
    newerIn: currentAssistant,
    onNewer: onSaved,
    write: async ({ base, values, changed, rebase }) => {
      const ids = { org_id: organization.org_id, site_id: assistant.site_id };
      const change = Object.fromEntries(Object.entries(toApi(values)).filter(([field]) => changed.includes(field)));
      const saved = await api('updateAssistant', ids, { body: { version: base.version, change } });
      rebase(saved, values);
      onSaved(saved);
      notify('Saved. The change takes effect with the next request.');
    },
  });
}
