import { Alert, Container, FormField, Header, RadioGroup, SpaceBetween } from '@cloudscape-design/components';
import type { AuthenticationMode } from '../../../src/contract/assistants.ts';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { Help } from '../parts/help.tsx';
import { useAssistantForm } from '../parts/use-assistant-form.ts';
import { EntryList } from './entry-list.tsx';
import { Installation } from './installation.tsx';
import { PageCheck } from './page-check.tsx';
import { ServerSecret } from './server-secret.tsx';
import { Snippets } from './snippets.tsx';

const pick = ({ authentication_mode, allowed_domains, ip_allowlist }: AssistantView) => ({
  authentication_mode,
  allowed_domains,
  ip_allowlist,
});

const isMode = (value: string): value is AuthenticationMode =>
  value === 'Allowed Websites' || value === 'Session Signed';

/** The Deploy tab: authentication of the widget, its websites, and the script tag for the page. */
export default function Deploy(props: {
  readonly assistant: AssistantView;
  readonly onSaved: (assistant: AssistantView) => void;
}) {
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
        <Container
          header={
            <Header variant="h2" info={<Help page="authentication" about="authentication" />}>
              Authentication
            </Header>
          }
        >
          <SpaceBetween size="l">
            <FormField label="Authentication Mode" stretch errorText={problems.of('authentication_mode')}>
              <RadioGroup
                value={values.authentication_mode}
                onChange={({ detail }) => isMode(detail.value) && set({ authentication_mode: detail.value })}
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
                  entries={values.allowed_domains}
                  field="allowed_domains"
                  problems={problems}
                  refusal="Enter a host such as example.com or example.com:8443, without wildcards."
                  onChange={(allowed_domains) => set({ allowed_domains })}
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
              entries={values.ip_allowlist}
              field="ip_allowlist"
              problems={problems}
              refusal="Enter an IPv4 or IPv6 address such as 203.0.113.7. Names and ranges are not possible."
              onChange={(ip_allowlist) => set({ ip_allowlist })}
            />
            <PageCheck settings={{ ...values, domain, enabled }} />
          </SpaceBetween>
        </Container>
      </EditForm>
      {(signed || saved.server_secret !== null) && <ServerSecret {...props} />}
      <Snippets assistant={{ ...saved, authentication_mode: values.authentication_mode }} />
    </SpaceBetween>
  );
}
