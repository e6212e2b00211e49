import * as z from 'zod';
import { exceedsCharacters, truncateCharacters } from '../../contract/characters.ts';
import { jsonObject } from '../../contract/json.ts';
import {
  CONTEXT_MAX_BYTES,
  TTL_MINUTES_DEFAULT,
  TTL_MINUTES_MAX,
  TTL_MINUTES_MIN,
  URL_MAX_CHARACTERS,
  USAGE_WEBHOOK_SECRET_MAX_CHARACTERS,
  USAGE_WEBHOOK_SECRET_MIN_CHARACTERS,
  USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES,
  USER_EMAIL_MAX_CHARACTERS,
  USER_ID_MAX_CHARACTERS,
  USER_NAME_MAX_CHARACTERS,
} from '../../contract/limits.ts';
import { characters } from '../../contract/text.ts';
import { endpointUrl } from '../../contract/url.ts';
import { invalidInput } from '../refusal.ts';

/** Validates session create's body. A field that is `null` counts as absent, because many clients send it for "none". */
export const sessionRequest = z.object({
  user_id: characters({ max: USER_ID_MAX_CHARACTERS })
    .nullish()
    .describe(`At most ${USER_ID_MAX_CHARACTERS} characters; an anonymous id is generated when it is absent`),
  user_name: z.string().nullish().describe(`Truncated to ${USER_NAME_MAX_CHARACTERS} characters`),
  user_email: z.string().nullish().describe(`Truncated to ${USER_EMAIL_MAX_CHARACTERS} characters`),
  context: jsonObject
    .refine((context) => jsonFits(context, CONTEXT_MAX_BYTES), {
      error: `must be at most ${CONTEXT_MAX_BYTES} bytes of JSON`,
    })
    .nullish()
    .describe(`At most ${CONTEXT_MAX_BYTES} bytes of JSON`),
  usage_webhook: z
    .object(
      {
        url: endpointUrl(USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES).describe(
          `https, at most ${URL_MAX_CHARACTERS} characters, and at most ${USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES} bytes once encoded`,
        ),
        secret: characters({
          min: USAGE_WEBHOOK_SECRET_MIN_CHARACTERS,
          max: USAGE_WEBHOOK_SECRET_MAX_CHARACTERS,
        }).describe(
          `${USAGE_WEBHOOK_SECRET_MIN_CHARACTERS} to ${USAGE_WEBHOOK_SECRET_MAX_CHARACTERS} characters; the visitor can read it`,
        ),
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

export type SessionRequest = {
  readonly userId: string | undefined;
  readonly userName: string | undefined;
  readonly userEmail: string | undefined;
  readonly context: Record<string, unknown> | undefined;
  readonly usageWebhook: { readonly url: string; readonly secret: string } | undefined;
  readonly ttlSeconds: number;
};

/**
 * Reads session create's body (spec "POST /api/widget/session/create").
 * @throws Refusal 400 that names the first wrong field
 */
export function parseSessionRequest(body: unknown): SessionRequest {
  const parsed = sessionRequest.safeParse(body);
  if (!parsed.success) throw invalidInput(parsed.error);
  const { user_id, user_name, user_email, context, usage_webhook, ttl_minutes } = parsed.data;
  return {
    userId: user_id || undefined,
    userName: user_name == null ? undefined : truncateCharacters(user_name, USER_NAME_MAX_CHARACTERS),
    userEmail: user_email == null ? undefined : truncateCharacters(user_email, USER_EMAIL_MAX_CHARACTERS),
    context: context ?? undefined,
    usageWebhook: usage_webhook ?? undefined,
    ttlSeconds: ttlSeconds(ttl_minutes),
  };
}

/** Returns the lifetime in seconds, clamped to 1 to 60 minutes. A value that is neither a number nor its text counts as 15 (spec "ttl_minutes"). */
export function ttlSeconds(ttlMinutes: unknown): number {
  const minutes = asNumber(ttlMinutes);
  if (minutes === undefined) return TTL_MINUTES_DEFAULT * 60;
  return Math.round(Math.min(Math.max(minutes, TTL_MINUTES_MIN), TTL_MINUTES_MAX) * 60);
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : value;
  if (typeof value !== 'string' || exceedsCharacters(value, 32)) return undefined;
  return /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined;
}

function jsonFits(value: object, maxBytes: number): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
  } catch (error) {
    // JSON.stringify fails at some thousand levels of nesting, which are far more than the bytes allow.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
