import { Alert, Box, FormField, RadioGroup, SpaceBetween, TokenGroup } from '@cloudscape-design/components';
import { useRef, useState } from 'react';
import type { AuthenticationMode } from '../../../src/contract/assistants.ts';
import { type HostEntry, readHostEntry } from '../../../src/contract/hosts.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { TextCommand } from '../parts/fields.tsx';
import type { Fields } from '../parts/form.ts';
import { Help, Panel } from '../parts/texts.tsx';
import { sentence } from '../session/problems.ts';
import { type AssistantProps, entriesIn, repairedValues, siteOf, useAssistantForm } from './assistant-form.ts';
import { PageCheck } from './page-check.tsx';
import { ServerSecret } from './server-secret.tsx';
import { Installation, Snippets } from './snippets.tsx';
import { type Repair, useVerdict, WhereItRuns } from './where-it-runs.tsx';

const NOT_AN_ADDRESS = { problem: 'must be an IPv4 or IPv6 address such as 203.0.113.7, no name and no range' };

const isMode = (value: string): value is AuthenticationMode =>
  value === 'Allowed Websites' || value === 'Session Signed';

export default function Deploy(props: AssistantProps) {
  const { api, isAdmin, organization } = useDashboard();
  const form = useAssistantForm(props, 'Deploy');
  const { values, setField, problems } = form;
  const savedAssistant = props.assistant;
  const site = siteOf(values);
  const { domain } = values;
  const { uselessEntries } = useVerdict()(site);
  const isSigned = values.authentication_mode === 'Session Signed';
  const readAddresses = async (texts: string[]): Promise<readonly Read[]> => {
    const { addresses } = await api('checkHosts', {}, { body: { entries: [], addresses: texts } });
    return addresses.map(({ address, normalized: entry }) => [address, entry ? { entry } : NOT_AN_ADDRESS]);
  };
  const repair = (change: Repair) => form.change(repairedValues(change));
  /** Whether the mode cannot be selected. An assistant that has it already keeps it on the free plan. */
  const isModeLocked = organization.plan === 'free' && savedAssistant.authentication_mode !== 'Session Signed';
  return (
    <SpaceBetween size="m">
      <EditForm form={form} what="assistant">
        <Panel title="Authentication" help={<Help page="authentication" about="authentication" />}>
          <FormField label="Authentication Mode" stretch errorText={problems.of('authentication_mode')}>
            <RadioGroup
              value={values.authentication_mode}
              onChange={({ detail }) => isMode(detail.value) && setField('authentication_mode', detail.value)}
              items={[
                {
                  value: 'Allowed Websites',
                  label: 'Allowed Websites',
                  description: 'The widget runs on the websites listed below. Your pages need only the site ID.',
                  disabled: !isAdmin,
                },
                {
                  value: 'Session Signed',
                  label: 'Session Signed',
                  description: isModeLocked
                    ? 'A paid feature: this organization is on the free plan. Ask the operator to change the plan.'
                    : "Your backend mints a short-lived token for each visitor and can attach the visitor's identity.",
                  disabled: !isAdmin || isModeLocked,
                },
              ]}
            />
          </FormField>
          {isSigned && savedAssistant.authentication_mode === 'Allowed Websites' && (
            <Alert type="warning" header="Saving this refuses every page that has only the site ID">
              From the next request on, the widget appears only on pages that contain a session token.{' '}
              {savedAssistant.server_secret === null && 'There is no server secret yet: generate it below. '}
              Save when your pages contain tokens, which the service accepts in both modes.
              <Installation assistant={savedAssistant} />
            </Alert>
          )}
          {!isSigned && (
            <EntryList
              label="Allowed Domains"
              description={`The service accepts exactly these hosts. Browsers also require the Domain of the General tab: they allow requests of the widget only from ${domain || 'that host'}. www.example.com and example.com are different hosts. An entry without a port allows every port.`}
              placeholder={domain || 'www.example.com'}
              noun="domain"
              field="allowed_domains"
              form={form}
              readEntries={async (texts) => texts.map((text) => [text, readHostEntry(text)])}
              warningOf={(entry) =>
                uselessEntries.includes(entry)
                  ? `Browsers allow only pages of the Domain, ${domain}: no page can match`
                  : undefined
              }
            />
          )}
          <EntryList
            label="IP allowlist"
            description="Optional. If the list has entries, the service accepts only visitors with one of these IP addresses."
            placeholder="203.0.113.7"
            noun="address"
            field="ip_allowlist"
            form={form}
            readEntries={readAddresses}
          />
          <WhereItRuns site={site} isUnsaved={form.dirty} onRepair={isAdmin ? repair : undefined} />
          <PageCheck settings={site} />
        </Panel>
      </EditForm>
      {(isSigned || savedAssistant.server_secret !== null) && <ServerSecret {...props} />}
      <Snippets assistant={{ ...savedAssistant, authentication_mode: values.authentication_mode }} />
    </SpaceBetween>
  );
}

type ListField = 'allowed_domains' | 'ip_allowlist';
/** A typed text, and the entry that it is. */
type Read = readonly [text: string, HostEntry];

/** A list of short texts. What is typed or pasted is checked, normalized and added. */
function EntryList(props: {
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
  readonly noun: string;
  readonly field: ListField;
  readonly form: Fields<ListField, string[]>;
  /** Checks each text, and changes it to the form in which it is compared. */
  readonly readEntries: (texts: string[]) => Promise<readonly Read[]>;
  readonly warningOf?: (entry: string) => string | undefined;
}) {
  const { isAdmin } = useDashboard();
  const { form, field, warningOf } = props;
  const listedEntries = form.values[field].slice(0, -1);
  /** The entries as they are now: the answer to a check arrives in a function of an earlier render. */
  const latest = useRef(listedEntries);
  latest.current = listedEntries;
  const text = form.values[field].at(-1) ?? '';
  const setEntries = (entries: readonly string[], typed: string) => form.setField(field, [...entries, typed]);
  /** The texts that were refused when they were to be added, which stay in the input, and what is wrong with them. */
  const [rejectedEntries, setRejected] = useState({ text: '', problem: '' });

  const problemOf = (entry: string) => form.problems.of(field, entry);
  const wrongEntries = form.values[field].filter((entry) => problemOf(entry) !== undefined);
  const saveProblem = form.problems.of(field) ?? wrongEntries.map((entry) => `${entry}: ${problemOf(entry)}`).join(' ');

  const add = async (typedText: string) => {
    const readTexts = await props.readEntries(entriesIn(typedText));
    const entries = new Set(latest.current);
    const problems = new Map<string, string>();
    for (const [written, read] of readTexts) {
      if ('problem' in read) problems.set(written, read.problem);
      else if (entries.has(read.entry)) problems.set(written, 'is already in the list');
      else entries.add(read.entry);
    }
    const rest = [...problems.keys()].join(' ');
    setEntries([...entries], rest);
    const problem = [...problems].map(([written, why]) => `${written}: ${sentence(why)}`).join(' ');
    setRejected({ text: rest, problem });
  };

  return (
    <FormField
      label={props.label}
      description={props.description}
      errorText={(rejectedEntries.text === text && rejectedEntries.problem) || saveProblem}
      stretch
    >
      <SpaceBetween size="xs">
        {isAdmin && (
          <TextCommand
            value={text}
            placeholder={props.placeholder}
            inputLabel={`New ${props.noun}`}
            button={`Add ${props.noun}`}
            onChange={(value) => setEntries(listedEntries, value)}
            run={add}
          />
        )}
        {listedEntries.length === 0 ? (
          <Box color="text-status-inactive">No entries</Box>
        ) : (
          <TokenGroup
            readOnly={!isAdmin}
            items={listedEntries.map((label) => {
              const warning = warningOf?.(label);
              return {
                label,
                dismissLabel: `Remove ${label}`,
                ...(warning !== undefined && {
                  description: warning,
                  iconName: 'status-warning',
                  iconAlt: 'No effect',
                }),
                ...(wrongEntries.includes(label) && { iconName: 'status-warning', iconAlt: 'Not valid' }),
              };
            })}
            onDismiss={({ detail }) => setEntries(listedEntries.toSpliced(detail.itemIndex, 1), text)}
          />
        )}
      </SpaceBetween>
    </FormField>
  );
}
