import { Alert, Box, FormField, RadioGroup, SpaceBetween, TokenGroup } from '@cloudscape-design/components';
import { useState } from 'react';
import type { AuthenticationMode } from '../../../src/contract/assistants.ts';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { TextCommand } from '../parts/fields.tsx';
import type { Fields } from '../parts/form.ts';
import { Help, Panel } from '../parts/texts.tsx';
import { type AssistantProps, useAssistantForm } from './assistant-form.ts';
import { PageCheck } from './page-check.tsx';
import { ServerSecret } from './server-secret.tsx';
import { Installation, Snippets } from './snippets.tsx';

const pick = ({ authentication_mode, allowed_domains, ip_allowlist }: AssistantView) => ({
  authentication_mode,
  allowed_domains,
  ip_allowlist,
});

const isMode = (value: string): value is AuthenticationMode =>
  value === 'Allowed Websites' || value === 'Session Signed';

/** The Deploy tab: authentication of the widget, its websites, and the script tag for the page. */
export default function Deploy(props: AssistantProps) {
  const { isAdmin, organization } = useDashboard();
  const form = useAssistantForm({ ...props, tab: 'deploy', pick });
  const { values, set, problems } = form;
  const { domain, enabled } = props.assistant;
  const saved = props.assistant;
  const signed = values.authentication_mode === 'Session Signed';
  const locked = organization.plan === 'free' && saved.authentication_mode !== 'Session Signed';
  return (
    <SpaceBetween size="m">
      <EditForm form={form} what="assistant">
        <Panel title="Authentication" help={<Help page="authentication" about="authentication" />}>
          <FormField label="Authentication Mode" stretch errorText={problems.of('authentication_mode')}>
            <RadioGroup
              value={values.authentication_mode}
              onChange={({ detail }) => isMode(detail.value) && set('authentication_mode', detail.value)}
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
                  description: locked
                    ? 'A paid feature: this organization is on the free plan. Ask the operator to change the plan.'
                    : "Your backend mints a short-lived token for each visitor and can attach the visitor's identity.",
                  disabled: !isAdmin || locked,
                },
              ]}
            />
          </FormField>
          {signed && saved.authentication_mode === 'Allowed Websites' && (
            <Alert type="warning" header="Saving this refuses every page that has only the site ID">
              From the next request on, the widget appears only on pages that contain a session token.{' '}
              {saved.server_secret === null && 'There is no server secret yet: generate it below. '}
              Save when your pages contain tokens, which the service accepts in both modes.
              <Installation assistant={saved} />
            </Alert>
          )}
          {!signed && (
            <SpaceBetween size="l">
              <EntryList
                label="Allowed Domains"
                description={`The service accepts exactly these hosts. Browsers also require the Domain of the General tab: they allow requests of the widget only from ${domain || 'that host'}. www.example.com and example.com are different hosts. An entry without a port allows every port.`}
                placeholder={domain || 'www.example.com'}
                noun="domain"
                field="allowed_domains"
                form={form}
                refusal="Enter a host such as example.com or example.com:8443, without wildcards."
              />
              {values.allowed_domains.length === 0 && (
                <Alert type="warning">
                  The list is empty, so the service refuses every visitor. Add the host of your website.
                </Alert>
              )}
            </SpaceBetween>
          )}
          <EntryList
            label="IP allowlist"
            description="Optional. If the list has entries, the service accepts only visitors with one of these IP addresses."
            placeholder="203.0.113.7"
            noun="address"
            field="ip_allowlist"
            form={form}
            refusal="Enter an IPv4 or IPv6 address such as 203.0.113.7. Names and ranges are not possible."
          />
          <PageCheck settings={{ ...values, domain, enabled }} />
        </Panel>
      </EditForm>
      {(signed || saved.server_secret !== null) && <ServerSecret {...props} />}
      <Snippets assistant={{ ...saved, authentication_mode: values.authentication_mode }} />
    </SpaceBetween>
  );
}

type ListField = 'allowed_domains' | 'ip_allowlist';

/** A list of short texts. An entry is checked, normalized and added. */
function EntryList(props: {
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
  /** The noun for one entry. */
  readonly noun: string;
  readonly field: ListField;
  readonly form: Fields<ListField, string[]>;
  /** The message for an entry that the service does not accept. */
  readonly refusal: string;
}) {
  const { api, isAdmin } = useDashboard();
  const { form, field } = props;
  const listed = form.values[field];
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();

  const problemOf = (entry: string) => form.problems.of(field, entry);
  const wrong = listed.filter((entry) => problemOf(entry) !== undefined);
  const refused = form.problems.of(field) ?? wrong.map((entry) => `${entry}: ${problemOf(entry)}`).join(' ');

  const add = async (typed: string) => {
    const isAddress = field === 'ip_allowlist';
    const body = { entries: isAddress ? [] : [typed], addresses: isAddress ? [typed] : [] };
    const { entries, addresses } = await api('checkHosts', {}, { body });
    const normalized = [...entries, ...addresses][0]?.normalized ?? null;
    if (normalized === null) return setProblem(props.refusal);
    if (!listed.includes(normalized)) form.set(field, [...listed, normalized]);
    setText('');
    setProblem(undefined);
  };

  return (
    <FormField label={props.label} description={props.description} errorText={problem ?? refused} stretch>
      <SpaceBetween size="xs">
        {isAdmin && (
          <TextCommand
            value={text}
            placeholder={props.placeholder}
            inputLabel={`New ${props.noun}`}
            button={`Add ${props.noun}`}
            onChange={(value) => {
              setText(value);
              setProblem(undefined);
            }}
            run={add}
          />
        )}
        {listed.length === 0 ? (
          <Box color="text-status-inactive">No entries</Box>
        ) : (
          <TokenGroup
            readOnly={!isAdmin}
            items={listed.map((label) => ({
              label,
              dismissLabel: `Remove ${label}`,
              ...(wrong.includes(label) && { iconName: 'status-warning', iconAlt: 'Not valid' }),
            }))}
            onDismiss={({ detail }) =>
              form.set(
                field,
                listed.filter((_, index) => index !== detail.itemIndex),
              )
            }
          />
        )}
      </SpaceBetween>
    </FormField>
  );
}
