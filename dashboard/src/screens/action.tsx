import { Box, Button, ExpandableSection, FormField, Header, SpaceBetween, Tiles } from '@cloudscape-design/components';
import { TRIGGERS, type Trigger } from '../../../src/contract/action-kinds.ts';
import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths, useParameters } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { isStored, NEW } from '../parts/form.ts';
import { NotLoaded, useLoad } from '../parts/loading.tsx';
import { CopiedId, Help, OperatorCommand, Panel } from '../parts/texts.tsx';
import { actionChangeOf, type EditedAction, rowsOf, useActionForm } from './action-form.ts';
import { SecretCommand, TestOutcome } from './test-outcome.tsx';
import { useTest } from './use-test.ts';

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
    action_id === 'new' ? NEW : api('getAction', { org_id, action_id }, {}),
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
  return <ActionForm assistant={assistant} action={isCopy ? NEW : action} template={isCopy ? action : undefined} />;
}

function ActionForm(props: {
  readonly assistant: AssistantView;
  readonly action: EditedAction;
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
          {Object.entries(rowsOf(values.trigger)).map(([setting, { label, Control }]) => (
            <Control key={setting} form={form} label={label} action={isStored(base) ? base : undefined}>
              {testButton}
            </Control>
          ))}
        </Panel>
      )}
    </EditForm>
  );
}
