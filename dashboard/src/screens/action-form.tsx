import {
  Box,
  Button,
  Container,
  ExpandableSection,
  FormField,
  Header,
  Input,
  Select,
  SpaceBetween,
  Tiles,
  Toggle,
} from '@cloudscape-design/components';
import { type ComponentProps, useState } from 'react';
import { METHODS, type Method, type Trigger } from '../../../src/contract/action-kinds.ts';
import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import { nameProblem } from '../../../src/contract/host-names.ts';
import { navigate, paths } from '../navigation.ts';
import { fetched } from '../parts/boundary.tsx';
import { Code, CopiedId } from '../parts/code.tsx';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { Help } from '../parts/help.tsx';
import { actionValues, type EditedAction, isStored } from './action-values.ts';
import { AiFields } from './ai-fields.tsx';
import { EventFields } from './event-fields.tsx';
import { FormFields } from './form-fields.tsx';
import { SecretCommand } from './signature-help.tsx';
import { useActionForm } from './use-action-form.ts';

const FormPreview = fetched(() => import('./form-preview.tsx'));

const TRIGGERS: readonly { readonly value: Trigger; readonly label: string; readonly description: string }[] = [
  { value: 'Event', label: 'Event', description: 'When something happens, such as the start of a conversation.' },
  {
    value: 'AI-decided',
    label: 'AI-decided',
    description: 'When the assistant decides to call it during a conversation.',
  },
  { value: 'Form', label: 'Form', description: 'When a visitor submits a form in the widget.' },
];

type AiActionView = Extract<ActionView, { readonly trigger: 'AI-decided' }>;

const isTrigger = (text: string): text is Trigger => TRIGGERS.some(({ value }) => value === text);
const methodOf = (text: string | undefined): Method => METHODS.find((method) => method === text) ?? 'POST';

/** The form of an Action: its trigger, then the fields of this trigger. */
export function ActionForm({
  assistant,
  action,
  template,
}: {
  readonly assistant: AssistantView;
  readonly action: EditedAction;
  /** The Action of which a new one is a copy. */
  readonly template?: ActionView;
}) {
  const { organization, isAdmin } = useDashboard();
  const form = useActionForm(assistant, action, template);
  const { base, values, set, problems } = form;
  const isNew = !isStored(action);
  const back = () => navigate(paths.assistant(organization.org_id, assistant.site_id, 'intelligence'));
  return (
    <EditForm
      form={form}
      what="Action"
      header={<Header variant="h1">{isNew ? 'Create Action' : actionValues(base).name}</Header>}
      saveLabel={isNew ? 'Create Action' : 'Save changes'}
      leave={
        isAdmin ? (
          <Button
            formAction="none"
            variant="link"
            onClick={() => {
              form.reset();
              back();
            }}
          >
            Cancel
          </Button>
        ) : (
          <Button formAction="none" onClick={back}>
            Back to the Actions
          </Button>
        )
      }
    >
      {isNew && (
        <Container header={<Header variant="h2">Trigger</Header>}>
          <FormField label="When is your endpoint called?" description="The trigger cannot be changed later." stretch>
            <Tiles
              value={values.trigger ?? null}
              columns={3}
              onChange={({ detail }) => isTrigger(detail.value) && set({ trigger: detail.value })}
              items={TRIGGERS.map((tile) => ({ ...tile, disabled: !isAdmin }))}
            />
          </FormField>
        </Container>
      )}
      {isStored(base) && <Identity actionId={base.action_id} />}
      {values.trigger !== undefined && (
        <Container
          header={
            <Header
              variant="h2"
              info={
                <Help page={values.trigger === 'Event' ? 'events' : 'actions'} about={`${values.trigger} Actions`} />
              }
              description={isNew ? undefined : 'The trigger was chosen at creation and cannot be changed.'}
            >
              {values.trigger} Action
            </Header>
          }
        >
          <SpaceBetween size="l">
            <FormField
              label="Name"
              description={values.trigger === 'Form' ? 'Visitors see it as the name of the form.' : undefined}
              errorText={problems.of('name')}
            >
              <Input
                value={values.name}
                disabled={!isAdmin}
                ariaRequired
                onChange={({ detail }) => set({ name: detail.value })}
              />
            </FormField>
            {values.trigger === 'Event' && <EventFields values={values} set={set} problems={problems} />}
            {values.trigger === 'AI-decided' && (
              <>
                <AiFields values={values} set={set} problems={problems} />
                {isStored(base) && base.trigger === 'AI-decided' && <Parameters parameters={base.parameters} />}
              </>
            )}
            {values.trigger === 'Form' && <FormFields values={values} set={set} problems={problems} />}
            {values.trigger === 'Form' && <Preview name={values.name} fields={values.form_fields} />}
            <FormField
              label="Method"
              constraintText={
                values.method === 'GET' ? 'A GET request has no body, so the payload is not sent.' : undefined
              }
              errorText={problems.of('method')}
            >
              <Select
                selectedOption={{ value: values.method, label: values.method }}
                disabled={!isAdmin}
                options={METHODS.map((value) => ({ value, label: value }))}
                onChange={({ detail }) => set({ method: methodOf(detail.selectedOption.value) })}
              />
            </FormField>
            <FormField
              label="Endpoint URL"
              info={<Help page="receiving" text="Sample receivers" about="how an endpoint verifies requests" />}
              description="Your endpoint on the public internet. Every request is signed."
              constraintText="Starts with https://, at most 2000 characters."
              errorText={problems.of('url')}
              warningText={
                mayBeBlocked(values.url)
                  ? 'The service may block this host: it sends requests to public hosts only, and checks their certificate. Test the Action after you have saved it.'
                  : undefined
              }
              stretch
            >
              <Input
                value={values.url}
                disabled={!isAdmin}
                ariaRequired
                inputMode="url"
                placeholder="https://api.example.com/va-wave"
                onChange={({ detail }) => set({ url: detail.value })}
              />
            </FormField>
            <Toggle
              checked={values.enabled}
              disabled={!isAdmin}
              onChange={({ detail }) => set({ enabled: detail.checked })}
            >
              Enabled
            </Toggle>
          </SpaceBetween>
        </Container>
      )}
    </EditForm>
  );
}

/**
 * Returns whether the service may block the host of a URL. An IP address is seldom public, and has a certificate even more seldom. A name
 * without a dot counts only when its first label is complete.
 */
function mayBeBlocked(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  if (/^[\d.]+$|^\[/.test(host)) return true;
  const typing = host !== 'localhost' && /^https:\/\/[^./:?#]*\.?$/i.test(url.trim());
  return host !== '' && !typing && nameProblem(host.replace(/\.$/, '')) !== undefined;
}

/** Shows what visitors see of the form. */
function Preview(props: ComponentProps<typeof FormPreview>) {
  const [expanded, setExpanded] = useState(false);
  return (
    <ExpandableSection
      headerText="Preview"
      headerDescription="What visitors see in the widget, in English. What you send here reaches nobody."
      expanded={expanded}
      onChange={({ detail }) => setExpanded(detail.expanded)}
    >
      {expanded && <FormPreview {...props} />}
    </ExpandableSection>
  );
}

/** Shows the parameters. The dashboard cannot edit them; the API and the command line can. */
function Parameters({ parameters }: { readonly parameters: AiActionView['parameters'] }) {
  return (
    <FormField
      label="Parameters"
      description="The arguments of the assistant's call, as JSON Schema. The operator can change them on the command line."
      stretch
    >
      {parameters === undefined ? (
        <Box>None: the endpoint receives an empty JSON object.</Box>
      ) : (
        <Code wrap label="Parameters as JSON Schema" text={JSON.stringify(parameters, null, 2)} />
      )}
    </FormField>
  );
}

/** Shows the Action ID and how the endpoint gets the signing secret. */
function Identity({ actionId }: { readonly actionId: string }) {
  return (
    <SpaceBetween size="xs">
      <Box>
        Action ID <CopiedId label="Action ID" id={actionId} />
      </Box>
      <ExpandableSection headerText="How your endpoint gets the signing secret">
        <SecretCommand actionId={actionId} />
      </ExpandableSection>
    </SpaceBetween>
  );
}
