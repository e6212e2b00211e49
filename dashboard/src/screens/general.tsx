import { Container, FormField, Header, SpaceBetween, Toggle } from '@cloudscape-design/components';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { GeneralFields, rateLimit } from '../parts/general-fields.tsx';
import { useAssistantForm } from '../parts/use-assistant-form.ts';

const pick = ({ name, domain, enabled, hourly_rate_limit }: AssistantView) => ({
  name,
  domain,
  enabled,
  hourly_rate_limit: String(hourly_rate_limit),
});

/** The General tab: Name, Domain, Assistant Status and Rate Limit. */
export function General(props: {
  readonly assistant: AssistantView;
  readonly onSaved: (assistant: AssistantView) => void;
}) {
  const { isAdmin } = useDashboard();
  const form = useAssistantForm({
    ...props,
    tab: 'general',
    pick,
    toApi: (values) => ({ ...values, hourly_rate_limit: rateLimit(values.hourly_rate_limit) }),
  });
  const { values, set } = form;
  return (
    <EditForm form={form} what="assistant">
      <Container header={<Header variant="h2">General</Header>}>
        <SpaceBetween size="l">
          <FormField
            label="Assistant Status"
            description="When it is off, the service refuses the widget and session creation at once."
          >
            <Toggle
              checked={values.enabled}
              disabled={!isAdmin}
              onChange={({ detail }) => set({ enabled: detail.checked })}
            >
              {values.enabled ? 'On' : 'Off'}
            </Toggle>
          </FormField>
          <GeneralFields values={values} problems={form.problems} disabled={!isAdmin} onChange={set} />
        </SpaceBetween>
      </Container>
    </EditForm>
  );
}
