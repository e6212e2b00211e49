import type { AssistantSettings } from '../../../src/contract/assistants.ts';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { changeOf, type EditedForm, type SettingRow, useForm } from '../parts/form.ts';
import type { Repair, Site } from './where-it-runs.tsx';

/** What the form has otherwise than the service: a limit as it is typed; a list with the text that is being typed at its end, so that a save includes it. */
type TypedValues = {
  readonly hourly_rate_limit: string;
  readonly allowed_domains: string[];
  readonly ip_allowlist: string[];
};
type ShownSettings = AssistantSettings & Pick<AssistantView, 'server_secret'>;
export type AssistantValues = Required<Omit<ShownSettings, keyof TypedValues>> & TypedValues;

const withTyped = (list: readonly string[]) => [...list, ''];
/** Returns the entries of a text that is typed or pasted: one in each line, or with spaces, commas or semicolons between them. */
export const entriesIn = (typed: string) => typed.split(/[\s,;]+/).filter((text) => text !== '');
const entriesOf = (list: readonly string[]) => [...list.slice(0, -1), ...entriesIn(list.at(-1) ?? '')];
/** Returns the limit for the API, which refuses one that is not written in digits (NaN): 0x10 and 1e3 are numbers of programs. */
export const limitOf = (typed: string) => (/^\d+$/.test(typed) ? Number(typed) : Number.NaN);

/** The settings of an assistant, blank as the service creates it. */
export const ASSISTANT_ROWS: {
  readonly [Name in keyof ShownSettings]-?: SettingRow<ShownSettings[Name], AssistantValues[Name]>;
} = {
  name: { label: 'Name', blank: '' },
  domain: { label: 'Domain', blank: '' },
  enabled: { label: 'Assistant Status', blank: true },
  hourly_rate_limit: { label: 'Rate Limit', blank: '', read: String, write: limitOf },
  authentication_mode: { label: 'Authentication Mode', blank: 'Allowed Websites' },
  allowed_domains: { label: 'Allowed Domains', blank: [''], read: withTyped, write: entriesOf },
  ip_allowlist: { label: 'IP allowlist', blank: [''], read: withTyped, write: entriesOf },
  form_order: { label: 'Order of the forms', blank: [], isOptional: true },
  server_secret: { label: 'Server secret', blank: null },
};

/** The assistant that a part of its screen shows, and what takes the version that this part has saved. */
export type AssistantProps = {
  readonly assistant: AssistantView;
  readonly onSaved: (assistant: AssistantView) => void;
};

export const siteOf = (values: AssistantValues): Site => ({
  ...values,
  allowed_domains: entriesOf(values.allowed_domains),
  ip_allowlist: entriesOf(values.ip_allowlist),
});

export const repairedValues = ({ allowed_domains, ...others }: Repair): Partial<AssistantValues> => ({
  ...others,
  ...(allowed_domains && { allowed_domains: withTyped(allowed_domains) }),
});

export function useAssistantForm(
  { assistant, onSaved }: AssistantProps,
  tab: 'General' | 'Deploy',
): EditedForm<'assistant', AssistantValues> {
  const { api, organization } = useDashboard();
  const { org_id } = organization;
  const { site_id } = assistant;
  const path = paths.assistant(org_id, site_id, tab.toLowerCase());
  return useForm<'assistant', AssistantValues>({
    kind: 'assistant',
    place: { key: `${site_id}.${tab.toLowerCase()}`, path, title: `${tab}, ${assistant.name}` },
    entity: assistant,
    rows: ASSISTANT_ROWS,
    save: async ({ base, values }) => {
      const body = { version: base.version, change: changeOf(ASSISTANT_ROWS, base, values) };
      const entity = await api('updateAssistant', { org_id, site_id }, { body });
      return { entity, message: 'Saved. The change takes effect with the next request.' };
    },
    onVersion: onSaved,
  });
}
