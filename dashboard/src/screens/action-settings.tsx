import { Box, Checkbox, ExpandableSection, FormField, SpaceBetween } from '@cloudscape-design/components';
import { type ComponentProps, type ComponentType, type ReactNode, useState } from 'react';
import { METHODS, type Trigger } from '../../../src/contract/action-kinds.ts';
import type { ParametersSchema, SettingsByTrigger } from '../../../src/contract/action-shape.ts';
import type { ActionSetting, FormField as FormFieldSetting } from '../../../src/contract/actions.ts';
import type { ActionView } from '../../../src/contract/dashboard.ts';
import { nameProblem } from '../../../src/contract/host-names.ts';
import { AI_DESCRIPTION_MIN_CHARACTERS, URL_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import { slugOf } from '../../../src/contract/slug.ts';
import { OneOf, OnOff, TextField } from '../parts/fields.tsx';
import type { FieldsOf, SettingRow } from '../parts/form.ts';
import { lazyPart } from '../parts/loading.tsx';
import { Rows } from '../parts/rows.tsx';
import { Code, Help, OperatorCommand } from '../parts/texts.tsx';
import { EventFields } from './event-fields.tsx';
import { FormFields } from './form-fields.tsx';

const FormPreview = lazyPart(() => import('./form-preview.tsx'));

type ShownSettings<Shown extends ActionView> = Pick<Shown, Extract<keyof Shown, ActionSetting>>;
type AllSettings = ShownSettings<Extract<ActionView, { trigger: 'Event' }>> &
  ShownSettings<Extract<ActionView, { trigger: 'AI-decided' }>> &
  ShownSettings<Extract<ActionView, { trigger: 'Form' }>>;
/** What the form has otherwise than the service. `id` identifies a row while its key or name changes. */
type OwnValues = {
  readonly trigger: Trigger | undefined;
  readonly parameters: ParametersSchema | undefined;
  readonly response_field_map: readonly Readonly<Record<'id' | 'name' | 'path', string>>[];
  readonly form_fields: readonly (FormFieldSetting & {
    readonly id: string;
    /** Whether the endpoint knows it, under its id. */
    readonly isKnownToEndpoint: boolean;
  })[];
};
export type ActionValues = Readonly<Required<Omit<AllSettings, keyof OwnValues>>> & OwnValues;

export type ControlProps = {
  readonly form: FieldsOf<ActionValues>;
  readonly label: string;
  /** The stored Action; undefined for a new one. */
  readonly action: ActionView | undefined;
  /** What tests the endpoint. */
  readonly children: ReactNode;
};

type TriggerOf<Setting> = { [Of in Trigger]: Setting extends keyof SettingsByTrigger[Of] ? Of : never }[Trigger];
/** The row of a setting: its control too, and the trigger whose forms have it, unless all have it. */
type ActionRow<Setting extends ActionSetting> = SettingRow<AllSettings[Setting], ActionValues[Setting]> & {
  readonly Control: ComponentType<ControlProps>;
} & ([Trigger] extends [TriggerOf<Setting>] ? { readonly only?: never } : { readonly only: TriggerOf<Setting> });

/** The settings of an Action, in the order of the form. */
export const ACTION_ROWS: { readonly [Setting in ActionSetting]: ActionRow<Setting> } = {
  name: {
    label: 'Name',
    blank: '',
    Control: ({ form, label, action }) => (
      <SpaceBetween size="l">
        <TextField
          form={form}
          field="name"
          label={label}
          description={form.values.trigger === 'Form' && 'Visitors see it as the name of the form.'}
          warningText={action && renameWarning(action, form.values.name)}
          required
        />
        {action && USED_AS[action.trigger] !== undefined && (
          <FormField label={USED_AS[action.trigger]} stretch>
            <Code label={USED_AS[action.trigger] ?? ''} text={nameInCode(action)} />
          </FormField>
        )}
      </SpaceBetween>
    ),
  },
  events: { label: 'Events', only: 'Event', blank: [], Control: EventFields },
  description: {
    label: 'Description',
    only: 'AI-decided',
    blank: '',
    Control: (props) => (
      <TextField
        {...props}
        field="description"
        description="Tells the assistant when to call this Action."
        constraintText={`At least ${AI_DESCRIPTION_MIN_CHARACTERS} characters.`}
        long
        required
        stretch
      />
    ),
  },
  feed_response_back: {
    label: 'Response handling',
    only: 'AI-decided',
    blank: false,
    Control: ({ form: { values, setField, problems, isReadOnly }, label }) => (
      <FormField label={label} errorText={problems.of('feed_response_back')} stretch>
        <Checkbox
          checked={values.feed_response_back}
          disabled={isReadOnly}
          description="Otherwise the assistant learns only that the Action completed."
          onChange={({ detail }) => setField('feed_response_back', detail.checked)}
        >
          Feed the response back to the assistant
        </Checkbox>
      </FormField>
    ),
  },
  response_field_map: {
    label: 'Response field map',
    only: 'AI-decided',
    blank: [],
    isOptional: true,
    read: (map) => Object.entries(map).map(([name, path]) => ({ id: name, name, path })),
    write: (entries) => entries.map(({ name, path }) => ({ name, path })),
    // Only where it has an effect, or entries.
    Control: ({ form, label }) =>
      (form.values.feed_response_back || form.values.response_field_map.length > 0) && (
        <Rows<ActionValues['response_field_map'][number], 'response_field_map'>
          form={form}
          field="response_field_map"
          label={label}
          description="Optional. The parts of the JSON response that the assistant receives. Without entries, it receives the top-level strings, numbers, booleans and nulls."
          noun="Entry"
          nameOf={({ name }) => name}
          blank={(id) => ({ id, name: '', path: '$.' })}
          columns={[
            { label: 'Name', part: 'name', placeholder: 'status', partsOf: (name) => ({ name }) },
            { label: 'Path', part: 'path', placeholder: '$.order.status', partsOf: (path) => ({ path }) },
          ]}
        />
      ),
  },
  parameters: {
    label: 'Parameters',
    only: 'AI-decided',
    blank: undefined,
    isOptional: true,
    // The dashboard cannot edit them; the API and the command line can.
    Control: ({ form: { values }, label, action }) => (
      <FormField
        label={label}
        description="The arguments of the assistant's call, as JSON Schema. The operator can change them on the command line."
        stretch
      >
        {values.parameters === undefined ? (
          <OperatorCommand
            does="adds parameters"
            command={`action update ${action?.action_id ?? '<action_id>'} --parameters '{"properties": {"number": {"type": "integer"}}, "required": ["number"]}'`}
          >
            None: the endpoint receives the empty JSON object <Box variant="code">{'{}'}</Box>. The dashboard cannot add
            parameters. {action ? 'The operator can' : 'After the creation the operator can'}:
          </OperatorCommand>
        ) : (
          <Code wrap label="Parameters as JSON Schema" text={JSON.stringify(values.parameters, null, 2)} />
        )}
      </FormField>
    ),
  },
  form_fields: {
    label: 'Form fields',
    only: 'Form',
    blank: [],
    read: (fields) => fields.map((field) => ({ ...field, id: field.key, isKnownToEndpoint: true })),
    write: (rows) => rows.map(({ key, label, type, required }) => ({ key, label, type, required })),
    Control: (props) => (
      <SpaceBetween size="l">
        <FormFields {...props} />
        <Preview name={props.form.values.name} fields={props.form.values.form_fields} />
      </SpaceBetween>
    ),
  },
  method: {
    label: 'Method',
    blank: 'POST',
    Control: ({ form: { values, setField, problems, isReadOnly }, label }) => (
      <FormField
        label={label}
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
    label: 'Endpoint URL',
    blank: '',
    Control: ({ form, label, children }) => (
      <SpaceBetween size="l">
        <TextField
          form={form}
          field="url"
          label={label}
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
      </SpaceBetween>
    ),
  },
  enabled: { label: 'Enabled', blank: true, Control: ({ form, label }) => <OnOff form={form}>{label}</OnOff> },
};

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
const nameInCode = ({ trigger, slug }: ActionView) => (trigger === 'Form' ? `vaWave('open', '${slug}')` : slug);

/** Returns what a new name breaks; nothing while the name in the code of others stays the same. */
function renameWarning(action: ActionView, name: string): string | undefined {
  const next = slugOf(name, action.action_id);
  if (USED_AS[action.trigger] === undefined || ['', action.name].includes(name.trim()) || next === action.slug)
    return undefined;
  return action.trigger === 'Form'
    ? `Pages that call ${nameInCode(action)} no longer open the form. After the save its name in code is ${next}.`
    : `The tool ${action.slug} gets the name ${next}. Instructions to the assistant that name it have to change with it.`;
}
