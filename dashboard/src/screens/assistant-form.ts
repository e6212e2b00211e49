import type { AssistantSettings } from '../../../src/contract/assistants.ts';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { changedValues, type EditedForm, type Labels, useForm } from '../parts/form.ts';
import { currentAssistant } from '../session/problems.ts';

/** The names of the settings of an assistant. */
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
} satisfies Record<keyof AssistantSettings | 'server_secret', string>;

/** The assistant that a part of its screen shows, and what takes the version that this part has saved. */
export type AssistantProps = {
  readonly assistant: AssistantView;
  readonly onSaved: (assistant: AssistantView) => void;
};

/** Edits and saves the part of an assistant on one tab. @param options.toApi converts the values for the API */
export function useAssistantForm<V extends object>(
  options: AssistantProps & {
    readonly tab: 'general' | 'deploy';
    readonly pick: (assistant: AssistantView) => V;
    readonly toApi: (values: V) => object;
  },
): EditedForm<AssistantView, V> {
  const { api, organization, notify } = useDashboard();
  const { assistant, pick, toApi, onSaved } = options;
  return useForm({
    key: `${assistant.site_id}.${options.tab}`,
    id: assistant.site_id,
    title: `${options.tab === 'general' ? 'General' : 'Deploy'}, ${assistant.name}`,
    path: paths.assistant(organization.org_id, assistant.site_id, options.tab),
    entity: assistant,
    pick,
    labels: LABELS,
    newerIn: currentAssistant,
    onNewer: onSaved,
    write: ({ base, values }) => {
      const ids = { org_id: organization.org_id, site_id: assistant.site_id };
      const change = changedValues(toApi(pick(base)), toApi(values));
      return api('updateAssistant', ids, { body: { version: base.version, change } });
    },
    onSaved: (saved) => {
      onSaved(saved);
      notify('Saved. The change takes effect with the next request.');
    },
  });
}
