import * as z from 'zod';
import { FIELD_TYPES, METHODS, PARAMETER_TYPES } from './action-kinds.ts';
import { jsonNumber } from './fields.ts';
import { RESTRICTIONS } from './organizations.ts';
import { SAVED } from './stored.ts';

/** Makes the schema of an object: `z.object` leaves out what it does not know, `z.looseObject` keeps it. */
type ObjectSchema<Config extends z.core.$ZodObjectConfig> = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
) => z.ZodObject<z.core.util.Writeable<Shape>, Config>;

const SETTINGS_OF_EVERY_ACTION = { name: z.string(), method: z.enum(METHODS), url: z.string(), enabled: z.boolean() };

/** The fields that the service adds to the settings, and shows: ids, times and the version. */
export const ADDED_TO_ACTION = {
  ...SAVED,
  action_id: z.string(),
  org_id: z.string(),
  site_id: z.string(),
  /** Tool name, or last segment of a submit route. Unique per assistant and trigger, except for Event Actions. */
  slug: z.string(),
};
/** All fields that are stored with the settings, except the secret: those above, and the copied restrictions of the organization. */
export const STORED_WITH_SETTINGS = { ...ADDED_TO_ACTION, ...RESTRICTIONS };
/** The signing secret, sealed: it is stored encrypted, and is opened only to sign a request. */
export const SEALED = { sealed_signing_secret: z.string() };

/**
 * Returns the settings of an Action as they are stored and shown, by trigger. They have no limits, so that settings which were saved
 * under other limits are still read. actions.ts has the rules for input, whose type asks for a rule for each of these fields.
 */
export const actionShape = <Config extends z.core.$ZodObjectConfig>(object: ObjectSchema<Config>) => ({
  // Any name is accepted, because a newer catalog may have more. Events of this catalog are still delivered.
  Event: { ...SETTINGS_OF_EVERY_ACTION, events: z.array(z.string()) },
  'AI-decided': {
    ...SETTINGS_OF_EVERY_ACTION,
    description: z.string(),
    parameters: object({
      type: z.literal('object'),
      properties: z.record(
        z.string(),
        object({
          type: z.enum(PARAMETER_TYPES),
          description: z.string().optional(),
          pattern: z.string().optional(),
          format: z.literal('email').optional(),
          enum: z.array(z.union([z.string(), jsonNumber, z.boolean()])).optional(),
        }),
      ),
      required: z.array(z.string()),
    }).optional(),
    feed_response_back: z.boolean(),
    response_field_map: z.record(z.string(), z.string()).optional().describe('Dotted path by name'),
  },
  Form: {
    ...SETTINGS_OF_EVERY_ACTION,
    form_fields: z.array(
      object({ key: z.string(), label: z.string(), type: z.enum(FIELD_TYPES), required: z.boolean() }),
    ),
  },
});

/** The settings of an Action as they are shown, without nested fields that newer code has added. */
export const SHOWN_ACTION = actionShape(z.object);

/** The settings of an Action as they are stored, by trigger. */
export type SettingsByTrigger = {
  readonly [Trigger in keyof ReturnType<typeof actionShape>]: z.output<
    z.ZodObject<ReturnType<typeof actionShape<z.core.$strip>>[Trigger]>
  >;
};
/** The names of the settings, for all triggers together. */
export type ActionSetting = {
  [Trigger in keyof SettingsByTrigger]: keyof SettingsByTrigger[Trigger];
}[keyof SettingsByTrigger];
export type FormField = SettingsByTrigger['Form']['form_fields'][number];
export type ParametersSchema = NonNullable<SettingsByTrigger['AI-decided']['parameters']>;
export type ParameterProperty = ParametersSchema['properties'][string];
