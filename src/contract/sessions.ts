import * as z from 'zod';
import { characters, endpointUrl, jsonBytes, jsonObject } from './fields.ts';
import {
  CONTEXT_MAX_BYTES,
  TTL_MINUTES_DEFAULT,
  TTL_MINUTES_MAX,
  TTL_MINUTES_MIN,
  USAGE_WEBHOOK_SECRET_MAX_CHARACTERS,
  USAGE_WEBHOOK_SECRET_MIN_CHARACTERS,
  USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES,
  USER_EMAIL_MAX_CHARACTERS,
  USER_ID_MAX_CHARACTERS,
  USER_NAME_MAX_CHARACTERS,
} from './limits.ts';

/** Validates session create's body. A field that is `null` counts as absent, because many clients send it for "none". */
export const sessionCreateRequest = z.object({
  user_id: characters({ max: USER_ID_MAX_CHARACTERS })
    // What is not UTF-8 becomes this character before a function sees it, so that two ids would become one.
    .refine((id) => !id.includes('\ufffd'), 'must be valid UTF-8')
    .nullish()
    .describe('An anonymous id is generated when it is absent'),
  user_name: z.string().nullish().describe(`Truncated to ${USER_NAME_MAX_CHARACTERS} characters`),
  user_email: z.string().nullish().describe(`Truncated to ${USER_EMAIL_MAX_CHARACTERS} characters`),
  context: jsonObject
    .refine((context) => jsonBytes(context) <= CONTEXT_MAX_BYTES, {
      error: `must be at most ${CONTEXT_MAX_BYTES} bytes of JSON`,
    })
    .nullish()
    .describe(`At most ${CONTEXT_MAX_BYTES} bytes of JSON`),
  usage_webhook: z
    .object(
      {
        url: endpointUrl(USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES).describe(
          `https, at most ${USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES} bytes once encoded`,
        ),
        secret: characters({
          min: USAGE_WEBHOOK_SECRET_MIN_CHARACTERS,
          max: USAGE_WEBHOOK_SECRET_MAX_CHARACTERS,
        }).describe('The visitor can read it'),
      },
      { error: 'must be an object with url and secret' },
    )
    .nullish(),
  ttl_minutes: z
    .unknown()
    .optional()
    .describe(
      `Number from ${TTL_MINUTES_MIN} to ${TTL_MINUTES_MAX}; a number outside is set to the nearest bound; ${TTL_MINUTES_DEFAULT} when it is not a number`,
    ),
});

/** Response of session create (spec "Session token"). */
export const sessionCreateResponse = z.object({
  success: z.literal(true),
  session_token: z.string().min(1),
  site_id: z.string(),
  expires_at: z.string().meta({ description: 'ISO 8601 with UTC offset', format: 'date-time' }),
  expires_in_seconds: z.int(),
});

/** Payload of the session token. Its fields are open in the spec. The visitor can read them. */
export const sessionClaims = z.object({
  sub: z.string(),
  jti: z.string(),
  site_id: z.string(),
  user_name: z.string().optional(),
  user_email: z.string().optional(),
  context: jsonObject.optional(),
  usage_webhook: z.object({ url: z.string(), secret: z.string() }).optional(),
  /** Unix seconds. */
  iat: z.int(),
  /** Unix seconds. */
  exp: z.int(),
});
export type SessionClaims = z.infer<typeof sessionClaims>;
