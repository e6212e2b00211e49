import { Box, Button, ExpandableSection, FormField, Header, SpaceBetween, Tiles } from '@cloudscape-design/components';
import { type ComponentProps, type ComponentType, type ReactNode, useState } from 'react';
import { METHODS, TRIGGERS, type Trigger } from '../../../src/contract/action-kinds.ts';
import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import { nameProblem } from '../../../src/contract/host-names.ts';
import { URL_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import { slugOf } from '../../../src/contract/slug.ts';
import { navigate, paths, useParameters } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { OneOf, OnOff, TextField } from '../parts/fields.tsx';
import { lazyPart, NotLoaded, useLoad } from '../parts/loading.tsx';
import { Code, CopiedId, Help, OperatorCommand, Panel } from '../parts/texts.tsx';
import {
  type ActionFields,
  actionChangeOf,
  type EditedAction,
  emptyAction,
  type FormSetting,
  isStored,
  useActionForm,
} from './action-form.ts';
import { DescriptionField, FeedResponseBack, ResponseFieldMap } from './ai-fields.tsx';
import { EventFields } from './event-fields.tsx';
import { FormFields } from './form-fields.tsx';
import { SecretCommand, TestOutcome } from './test-outcome.tsx';
import { useTest } from './use-test.ts';

const FormPreview = lazyPart(() => import('./form-preview.tsx'));

const WHEN: Readonly<Record<Trigger, string>> = {
  Event: 'When something happens, such as the start of a conversation.',
  'AI-decided': 'When the assistant decides to call it during a conversation.',
  Form: 'When a visitor submits a form in the widget.',
};

/** The screen of a new or an existing Action. `?copy=` names the Action of which a new one is a copy. */
export default function ActionScreen(props: { readonly assistant: AssistantView; readonly actionId: string }) {
  const { api, organization } = useDashboard();
  const { org_id } = organization;
  const { assistant } = props;
  const [parameters] = useParameters();
  const copiedId = parameters.get('copy');
  const action_id = copiedId ?? props.actionId;
  const loadedAction = useLoad<EditedAction>(action_id, async () =>
    action_id === 'new' ? emptyAction : api('getAction', { org_id, action_id }, {}),
  );
  const action = loadedAction.value;
  if (action === undefined) {
    return (
      <NotLoaded loadedData={loadedAction} what="the Action">
        <Button onClick={() => navigate(paths.assistant(org_id, assistant.site_id, 'intelligence'))}>
          Back to the Actions
        </Button>
      </NotLoaded>
    );
  }
  const isCopy = copiedId !== null && isStored(action);
  return (
    <ActionForm assistant={assistant} action={isCopy ? emptyAction : action} template={isCopy ? action : undefined} />
  );
}

/** The form of an Action: its trigger, then the fields of this trigger. */
function ActionForm(props: {
  readonly assistant: AssistantView;
  readonly action: EditedAction;
  /** The Action of which a new one is a copy. */
  readonly template: ActionView | undefined;
}) {
  const { assistant, action, template } = props;
  const { organization } = useDashboard();
  const form = useActionForm(assistant, action, template);
  // The screen has loaded `action`; `base` is the version from which the input starts, after a save the saved one.
  const { base, values, setField, isReadOnly } = form;
  const isNew = !isStored(action);
  const tests = useTest();
  const test = (stored: ActionView) => {
    form.problems.clear();
    return tests.test(stored, actionChangeOf(stored, values), form.problems.refuse);
  };
  const testButton = isStored(base) ? (
    !isReadOnly && (
      <Button formAction="none" loading={tests.testing} loadingText="Testing" onClick={() => test(base)}>
        Test
      </Button>
    )
  ) : (
    <Box variant="small">A test needs the signing secret, which the Action gets when it is created.</Box>
  );
  const back = () => navigate(paths.assistant(organization.org_id, assistant.site_id, 'intelligence'));
  return (
    <EditForm
      form={form}
      what="Action"
      header={<Header variant="h1">{isStored(base) ? base.name : 'Create Action'}</Header>}
      create={isNew ? { text: 'Create Action', ready: form.dirty } : undefined}
      leave={{ text: isReadOnly ? 'Back to the Actions' : 'Cancel', onLeave: back }}
    >
      {isNew && (
        <Panel title="Trigger">
          <FormField label="When is your endpoint called?" description="The trigger cannot be changed later." stretch>
            <Tiles
              value={values.trigger ?? null}
              columns={3}
              onChange={({ detail: { value } }) =>
                setField(
                  'trigger',
                  TRIGGERS.find((trigger) => trigger === value),
                )
              }
              items={TRIGGERS.map((value) => ({ value, label: value, description: WHEN[value], disabled: isReadOnly }))}
            />
          </FormField>
        </Panel>
      )}
      <TestOutcome tests={tests} onAgain={() => isStored(base) && test(base)} />
      {isStored(base) && (
        <SpaceBetween size="xs">
          <Box>
            Action ID <CopiedId label="Action ID" id={base.action_id} />
          </Box>
          <ExpandableSection headerText="How your endpoint gets the signing secret">
            <SecretCommand actionId={base.action_id} />
          </ExpandableSection>
          <ExpandableSection headerText="Deliveries of this Action">
            <OperatorCommand does="reads the deliveries" command={`deliveries ${base.action_id} --since 7d`}>
              The delivery log has each attempt with its payload, status and response. The operator of this service can
              read it with this command:
            </OperatorCommand>
          </ExpandableSection>
        </SpaceBetween>
      )}
      {values.trigger !== undefined && (
        <Panel
          title={`${values.trigger} Action`}
          help={<Help page={values.trigger === 'Event' ? 'events' : 'actions'} about={`${values.trigger} Actions`} />}
          description={isNew ? undefined : 'The trigger was chosen at creation and cannot be changed.'}
        >
          {controlsOf(values.trigger).map(([setting, { Control }]) => (
            <Control key={setting} form={form} action={isStored(base) ? base : undefined} template={template}>
              {testButton}
            </Control>
          ))}
        </Panel>
      )}
    </EditForm>
  );
}

type ControlProps = ActionFields & {
  /** The stored Action; undefined for a new one. */
  readonly action: ActionView | undefined;
  /** The Action of which a new one is a copy. */
  readonly template: ActionView | undefined;
  /** What tests the endpoint. */
  readonly children: ReactNode;
};

/** The control of each setting, in the order of the form, and the trigger whose forms have it; all have one without a trigger. */
const CONTROLS: Readonly<
  Record<FormSetting, { readonly only?: Trigger; readonly Control: ComponentType<ControlProps> }>
> = {
  name: {
    Control: ({ form, action }) => (
      <>
        <TextField
          form={form}
          field="name"
          label="Name"
          description={form.values.trigger === 'Form' && 'Visitors see it as the name of the form.'}
          warningText={action && renameWarning(action, form.values.name)}
          required
        />
        {action && USED_AS[action.trigger] !== undefined && (
          <FormField label={USED_AS[action.trigger]} stretch>
            <Code label={USED_AS[action.trigger] ?? ''} text={codeOf(action)} />
          </FormField>
        )}
      </>
    ),
  },
  events: { only: 'Event', Control: EventFields },
  description: { only: 'AI-decided', Control: DescriptionField },
  feed_response_back: { only: 'AI-decided', Control: FeedResponseBack },
  response_field_map: {
    only: 'AI-decided',
    Control: ({ form, action, template }) => (
      <>
        <ResponseFieldMap form={form} />
        <Parameters action={action ?? template} isNew={action === undefined} />
      </>
    ),
  },
  form_fields: {
    only: 'Form',
    Control: ({ form }) => (
      <>
        <FormFields form={form} />
        <Preview name={form.values.name} fields={form.values.form_fields} />
      </>
    ),
  },
  method: {
    Control: ({ form: { values, setField, problems, isReadOnly } }) => (
      <FormField
        label="Method"
        constraintText={values.method === 'GET' && 'A GET request has no body, so the payload is not sent.'}
        errorText={problems.of('method')}
      >
        <OneOf
          value={values.method}
          words={METHODS}
          isReadOnly={isReadOnly}
          onChange={(method) => setField('method', method)}
        />
      </FormField>
    ),
  },
  url: {
    Control: ({ form, children }) => (
      <>
        <TextField
          form={form}
          field="url"
          label="Endpoint URL"
          info={<Help page="receiving" text="Sample receivers" about="how an endpoint verifies requests" />}
          description="Your endpoint on the public internet. Every request is signed."
          constraintText={`Starts with https://, at most ${URL_MAX_CHARACTERS} characters.`}
          warningText={
            mayBeBlocked(form.values.url) &&
            'The service may block this host: it sends requests to public hosts only, and checks their certificate. A test shows it.'
          }
          inputMode="url"
          placeholder="https://api.example.com/va-wave"
          required
          stretch
        />
        {children}
      </>
    ),
  },
  enabled: { Control: ({ form }) => <OnOff form={form}>Enabled</OnOff> },
};

/** Returns the controls of a trigger. */
const controlsOf = (trigger: Trigger) =>
  Object.entries(CONTROLS).filter(([, { only }]) => only === undefined || only === trigger);

/**
 * Returns whether the service may block the host of a URL. An IP address is seldom public, and has a certificate even more seldom. A name
 * without a dot counts only when its first label is complete.
 */
function mayBeBlocked(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  if (/^[\d.]+$|^\[/.test(host)) return true;
  const isBeingTyped = host !== 'localhost' && /^https:\/\/[^./:?#]*\.?$/i.test(url.trim());
  return host !== '' && !isBeingTyped && nameProblem(host.replace(/\.$/, '')) !== undefined;
}

/** Shows what visitors see of the form. */
function Preview(props: ComponentProps<typeof FormPreview>) {
  const [isExpanded, setExpanded] = useState(false);
  return (
    <ExpandableSection
      headerText="Preview"
      headerDescription="What visitors see in the widget, in English. What you send here reaches nobody."
      expanded={isExpanded}
      onChange={({ detail }) => setExpanded(detail.expanded)}
    >
      {isExpanded && <FormPreview {...props} />}
    </ExpandableSection>
  );
}

/** What others use of an Action: its `slug`, by which their code names it. */
const USED_AS: Readonly<Partial<Record<Trigger, string>>> = {
  Form: 'Code of a page that opens the form',
  'AI-decided': 'Name of the tool for the assistant',
};
const codeOf = ({ trigger, slug }: ActionView) => (trigger === 'Form' ? `vaWave('open', '${slug}')` : slug);

/** Returns what a new name breaks; nothing while the name in the code of others stays the same. */
function renameWarning(action: ActionView, name: string): string | undefined {
  const next = slugOf(name, action.action_id);
  if (USED_AS[action.trigger] === undefined || ['', action.name].includes(name.trim()) || next === action.slug)
    return undefined;
  return action.trigger === 'Form'
    ? `Pages that call ${codeOf(action)} no longer open the form. After the save its name in code is ${next}.`
    : `The tool ${action.slug} gets the name ${next}. Instructions to the assistant that name it have to change with it.`;
}

/** Shows the parameters. The dashboard cannot edit them; the API and the command line can. */
function Parameters({ action, isNew }: { readonly action: ActionView | undefined; readonly isNew: boolean }) {
  const parameters = action?.trigger === 'AI-decided' ? action.parameters : undefined;
  return (
    <FormField
      label="Parameters"
      description="The arguments of the assistant's call, as JSON Schema. The operator can change them on the command line."
      stretch
    >
      {parameters === undefined ? (
        <OperatorCommand
          does="adds parameters"
          command={`action update ${isNew ? '<action_id>' : action?.action_id} --parameters '{"properties": {"number": {"type": "integer"}}, "required": ["number"]}'`}
        >
          None: the endpoint receives the empty JSON object <Box variant="code">{'{}'}</Box>. The dashboard cannot add
          parameters. {isNew ? 'After the creation the operator can' : 'The operator can'}:
        </OperatorCommand>
      ) : (
        <Code wrap label="Parameters as JSON Schema" text={JSON.stringify(parameters, null, 2)} />
      )}
    </FormField>
  );
}
