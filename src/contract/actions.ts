import * as z from 'zod';
import { FIELD_TYPES, METHODS, type Method, PARAMETER_TYPES, TRIGGERS, type Trigger } from './action-kinds.ts';
import type {
  ActionSetting,
  FormField,
  ParameterProperty,
  ParametersSchema,
  SEALED,
  SettingsByTrigger,
  STORED_WITH_SETTINGS,
} from './action-shape.ts';
import { EVENT_NAMES } from './events.ts';
import {
  characters,
  endpointUrl,
  jsonBytes,
  jsonNumber,
  keyText,
  nameText,
  proseText,
  type RulesOf,
  recordOf,
  settingsChange,
  unicodeText,
} from './fields.ts';
import {
  AI_DESCRIPTION_MAX_CHARACTERS,
  AI_DESCRIPTION_MIN_CHARACTERS,
  FIELD_PATH_MAX_CHARACTERS,
  FORM_FIELDS_MAX,
  FORM_KEY_MAX_CHARACTERS,
  NAME_MAX_CHARACTERS,
  PARAMETER_DESCRIPTION_MAX_CHARACTERS,
  PARAMETER_ENUM_MAX_VALUES,
  PARAMETER_ENUM_VALUE_MAX_CHARACTERS,
  PARAMETER_NAME_MAX_CHARACTERS,
  PARAMETERS_MAX_BYTES,
  PARAMETERS_MAX_PROPERTIES,
  PATTERN_MAX_CHARACTERS,
} from './limits.ts';
import type { Stored } from './stored.ts';

export type { ActionSetting, FormField, ParameterProperty, ParametersSchema };
export { FIELD_TYPES, METHODS, type Method, TRIGGERS, type Trigger };

export const formField = z
  .strictObject({
    key: keyText({ min: 1, max: FORM_KEY_MAX_CHARACTERS }),
    label: nameText({ min: 1, max: NAME_MAX_CHARACTERS }),
    type: z.enum(FIELD_TYPES),
    required: z.boolean().default(false),
  } satisfies RulesOf<FormField>)
  .meta({ id: 'FormField' });

const unique = (values: readonly unknown[]) => new Set(values).size === values.length;

/** Returns a check of a list that refuses each row whose `part` another row has too. */
const onlyOnce =
  <Part extends string>(part: Part, message: string) =>
  (rows: readonly Readonly<Record<Part, string>>[], context: z.RefinementCtx) => {
    for (const [index, row] of rows.entries()) {
      if (rows.every((other, at) => at === index || other[part] !== row[part])) continue;
      context.addIssue({ code: 'custom', path: [index, part], message });
    }
  };

/** A name that every model API accepts: one of another form makes Anthropic's and Bedrock's refuse the whole request. */
export const toolParameterName = z
  .string()
  .trim()
  .regex(
    new RegExp(`^[a-zA-Z0-9_.-]{1,${PARAMETER_NAME_MAX_CHARACTERS}}$`),
    `must be 1 to ${PARAMETER_NAME_MAX_CHARACTERS} letters without accents, digits, _, . or -`,
  );
const mappedName = keyText({ min: 1, max: PARAMETER_NAME_MAX_CHARACTERS });

/** What is wrong with too many parameters, and with a response field map of too many names. */
const TOO_MANY_ENTRIES = `must have at most ${PARAMETERS_MAX_PROPERTIES} entries`;
const smallRecordOf = <Value extends z.ZodType>(name: z.ZodString, value: Value) =>
  recordOf(name, value, PARAMETERS_MAX_PROPERTIES);

const fieldPath = keyText({ max: FIELD_PATH_MAX_CHARACTERS }).regex(
  // Not the brackets and stars of JSONPath. \x5b, because Java reads a plain bracket in a class as another class.
  /^\$(\.[^.\s\x5b\x5d*]+)+$/,
  'must be a dotted path such as $.order.status or $.items.0.name',
);

/** A response field map as the rows of the dashboard's form: a repeated name is refused, which a JSON object would lose. */
const mapEntries = z
  .array(
    z.strictObject({
      name: mappedName.refine((name) => name !== '__proto__', 'cannot be used as a name'),
      path: fieldPath,
    }),
  )
  .max(PARAMETERS_MAX_PROPERTIES, TOO_MANY_ENTRIES)
  .superRefine(onlyOnce('name', 'must not be the name of another entry'))
  .transform((entries) => Object.fromEntries(entries.map(({ name, path }) => [name, path])));

const parameterProperty = z
  .strictObject({
    type: z.enum(PARAMETER_TYPES),
    description: proseText({ max: PARAMETER_DESCRIPTION_MAX_CHARACTERS }).optional(),
    pattern: characters({ max: PATTERN_MAX_CHARACTERS }).optional(),
    format: z.literal('email').optional(),
    enum: z
      .array(z.union([characters({ max: PARAMETER_ENUM_VALUE_MAX_CHARACTERS }), jsonNumber, z.boolean()]))
      .min(1, 'at least one value is required')
      .max(PARAMETER_ENUM_MAX_VALUES, `must have at most ${PARAMETER_ENUM_MAX_VALUES} values`)
      .optional(),
  } satisfies RulesOf<ParameterProperty>)
  .meta({ id: 'Parameter' });

/** The subset of JSON Schema that the spec allows for an AI-decided Action's parameters, and in addition `description` and `enum`. */
export const parametersSchema = z
  .strictObject({
    type: z.literal('object').default('object'),
    properties: smallRecordOf(toolParameterName, parameterProperty).default({}),
    // Each name once: JSON Schema demands it, and a model API that checks it refuses the whole request.
    required: z
      .array(unicodeText.trim())
      .max(PARAMETERS_MAX_PROPERTIES, TOO_MANY_ENTRIES)
      .refine(unique, 'must not name a parameter twice')
      .meta({ uniqueItems: true })
      .default([]),
  } satisfies RulesOf<ParametersSchema>)
  .refine((parameters) => jsonBytes(parameters) <= PARAMETERS_MAX_BYTES, {
    error: `must be at most ${PARAMETERS_MAX_BYTES} bytes of JSON`,
  })
  .meta({ id: 'Parameters' });

/** The rules that the settings of all triggers share. A change of settings has no defaults; a new Action has those below. */
const common = {
  name: nameText({ min: 1, max: NAME_MAX_CHARACTERS }),
  method: z.enum(METHODS),
  url: endpointUrl(),
  enabled: z.boolean(),
} satisfies Partial<RulesOf<SettingsByTrigger[Trigger]>>;
const defaults = { method: common.method.default('POST'), enabled: common.enabled.default(true) };

const eventSettings = z.strictObject({
  ...common,
  events: z
    .array(z.enum(EVENT_NAMES, { error: 'must be an event of the catalog' }))
    .min(1, 'at least one event is required')
    .refine(unique, 'must not name an event twice')
    .meta({ uniqueItems: true }),
} satisfies RulesOf<SettingsByTrigger['Event']>);

const aiSettings = z.strictObject({
  ...common,
  description: proseText({ min: AI_DESCRIPTION_MIN_CHARACTERS, max: AI_DESCRIPTION_MAX_CHARACTERS }),
  parameters: parametersSchema.optional(),
  feed_response_back: z.boolean(),
  /** Name to dotted path such as `$.order.status`. */
  response_field_map: z.union([smallRecordOf(mappedName, fieldPath), mapEntries]).optional(),
} satisfies RulesOf<SettingsByTrigger['AI-decided']>);

const formSettings = z.strictObject({
  ...common,
  form_fields: z
    .array(formField)
    .min(1, 'at least one form field is required')
    .max(FORM_FIELDS_MAX)
    .superRefine(onlyOnce('key', 'must not be the key of another field')),
} satisfies RulesOf<SettingsByTrigger['Form']>);

const eventAction = z.strictObject({ trigger: z.literal('Event'), ...eventSettings.shape, ...defaults });
const aiAction = z.strictObject({
  trigger: z.literal('AI-decided'),
  ...aiSettings.shape,
  ...defaults,
  feed_response_back: aiSettings.shape.feed_response_back.default(false),
});
const formAction = z.strictObject({ trigger: z.literal('Form'), ...formSettings.shape, ...defaults });

/** Validates the settings of a new Action (spec "Action"). */
export const actionInput = z
  .discriminatedUnion('trigger', [
    eventAction.meta({ id: 'NewEventAction' }),
    aiAction.meta({ id: 'NewAiAction' }),
    formAction.meta({ id: 'NewFormAction' }),
  ])
  .meta({ id: 'NewAction' });

/** Validates a change to an Action's settings, by trigger: only those that it has, by the rules above. */
export const ACTION_CHANGES = {
  Event: settingsChange(eventSettings.shape).meta({ id: 'EventActionChange' }),
  'AI-decided': settingsChange(aiSettings.shape).meta({ id: 'AiActionChange' }),
  Form: settingsChange(formSettings.shape).meta({ id: 'FormActionChange' }),
} as const satisfies Record<Trigger, z.ZodType>;

/** Names of the settings that an admin can set, for all triggers together. */
export const ACTION_SETTINGS: ReadonlySet<string> = new Set(
  [eventAction, aiAction, formAction].flatMap(({ shape }) => Object.keys(shape)),
);

type ActionOf<OfTrigger extends Trigger> = { readonly trigger: OfTrigger } & Readonly<SettingsByTrigger[OfTrigger]> &
  Stored<typeof STORED_WITH_SETTINGS & typeof SEALED>;
export type EventAction = ActionOf<'Event'>;
export type FormAction = ActionOf<'Form'>;
export type AiAction = ActionOf<'AI-decided'>;
export type Action = EventAction | FormAction | AiAction;
/** A form or a tool as the widget and the assistant get it: the copy that is stored under its slug, which has no secret. */
export type Offered<Kind extends FormAction | AiAction> = Omit<Kind, 'sealed_signing_secret'>;
