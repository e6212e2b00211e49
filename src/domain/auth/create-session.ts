import { exceedsCharacters, truncateCharacters } from '../../contract/fields.ts';
import {
  SESSION_CREATE_PER_MINUTE,
  SESSION_TOKEN_MAX_BYTES,
  TTL_MINUTES_DEFAULT,
  TTL_MINUTES_MAX,
  TTL_MINUTES_MIN,
  USER_EMAIL_MAX_CHARACTERS,
  USER_NAME_MAX_CHARACTERS,
} from '../../contract/limits.ts';
import type { PublicAnswer } from '../../contract/public-operations.ts';
import { sessionCreateRequest } from '../../contract/sessions.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../facts.ts';
import { inputOf, invalidField, Refusal } from '../refusal.ts';
import { unixSeconds } from '../sources.ts';
import { ADDRESS_COUNTERS } from './ip-addresses.ts';
import { serverSecretMatches, siteOfServerSecret } from './server-secret.ts';

/**
 * Creates a session token (spec "POST /api/widget/session/create"). Refuses in this order: 429 per IP address, the three 401s, 400, 429
 * per assistant and hour, which only requests that are otherwise accepted use up. Reads the body after authentication, so that a malformed
 * body without a valid key is a 401.
 * @throws Refusal
 */
export async function createSession(
  request: { readonly serverKey: string | undefined; readonly ip: string; readonly readBody: () => unknown },
  { configuration, counters, tokens }: Context<'configuration' | 'counters' | 'tokens'>,
  invocation: Invocation,
): Promise<PublicAnswer<'createSession'>> {
  const now = invocation.now();
  const siteId = request.serverKey === undefined ? undefined : siteOfServerSecret(request.serverKey);
  const [perIp, assistant] = await Promise.all([
    counters.hitPerMinute(ADDRESS_COUNTERS.sessionCreate(request.ip), SESSION_CREATE_PER_MINUTE, now),
    siteId === undefined ? undefined : configuration.findAssistant(siteId),
  ]);
  if (!perIp.isAllowed) throw new Refusal('rate_limit_exceeded', perIp);
  if (request.serverKey === undefined || request.serverKey === '') throw new Refusal('server_key_required');
  if (!request.serverKey.startsWith('ss_')) throw new Refusal('server_key_malformed');
  if (!assistant?.enabled || assistant.suspended || !serverSecretMatches(assistant.server_secret, request.serverKey)) {
    throw new Refusal('server_key_invalid');
  }

  const input = inputOf(sessionCreateRequest, request.readBody());
  const { user_name: name, user_email: email } = input;
  const issuedAt = unixSeconds(now);
  const lifetime = ttlSeconds(input.ttl_minutes);
  const expiresAt = issuedAt + lifetime;
  const token = await tokens.signToken({
    sub: input.user_id || `anon_${invocation.newId()}`,
    jti: invocation.newId(),
    site_id: assistant.site_id,
    user_name: name == null ? undefined : truncateCharacters(name, USER_NAME_MAX_CHARACTERS),
    user_email: email == null ? undefined : truncateCharacters(email, USER_EMAIL_MAX_CHARACTERS),
    context: input.context ?? undefined,
    usage_webhook: input.usage_webhook ?? undefined,
    iat: issuedAt,
    exp: expiresAt,
  });
  if (token.length > SESSION_TOKEN_MAX_BYTES) {
    throw invalidField('context', `the session token would exceed ${SESSION_TOKEN_MAX_BYTES} bytes`);
  }

  const perHour = await counters.hitPerHour(assistant.site_id, assistant.hourly_rate_limit, now);
  if (!perHour.isAllowed) throw new Refusal('rate_limit_exceeded', perHour);
  return {
    success: true,
    session_token: token,
    site_id: assistant.site_id,
    // The spec asks for a UTC offset.
    expires_at: new Date(expiresAt * 1000).toISOString().replace('.000Z', '+00:00'),
    expires_in_seconds: lifetime,
  };
}

/** Returns the lifetime in seconds, clamped to 1 to 60 minutes. A value that is neither a number nor its text counts as 15 (spec "ttl_minutes"). */
export function ttlSeconds(ttlMinutes: unknown): number {
  const minutes = asNumber(ttlMinutes);
  if (minutes === undefined) return TTL_MINUTES_DEFAULT * 60;
  return Math.round(Math.min(Math.max(minutes, TTL_MINUTES_MIN), TTL_MINUTES_MAX) * 60);
}

/** Returns a number, or a text of up to 32 characters that is one; undefined for any other value. */
function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  if (typeof value !== 'string' || exceedsCharacters(value, 32)) return undefined;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value.trim()) ? Number(value) : undefined;
}
