import { exceedsCharacters, truncateCharacters } from '../../contract/characters.ts';
import {
  TTL_MINUTES_DEFAULT,
  TTL_MINUTES_MAX,
  TTL_MINUTES_MIN,
  USER_EMAIL_MAX_CHARACTERS,
  USER_NAME_MAX_CHARACTERS,
} from '../../contract/limits.ts';
import { sessionCreateRequest } from '../../contract/sessions.ts';
import { inputOf } from '../refusal.ts';

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
  const { user_id, user_name, user_email, context, usage_webhook, ttl_minutes } = inputOf(sessionCreateRequest, body);
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
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined;
}
