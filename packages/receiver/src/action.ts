import { parseActionSignature } from './action-signature.ts';
import { requireFresh, type VerifyOptions } from './freshness.ts';
import { type HeaderSource, headerValue } from './headers.ts';
import { isJsonObject, type JsonObject, jsonObject } from './json-object.ts';
import { bytesOf, digestMatches, type Secret, secretsOf } from './secrets.ts';
import { VerificationError } from './verification-error.ts';

/** Body of an Event Action request. */
export type EventEnvelope = {
  /** UUID of the event. The same event can arrive more than once, always with the same id. */
  readonly id: string;
  readonly event: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: JsonObject;
  readonly site_id: string;
  readonly org_id: string;
};

/** Body of a Form Action request. */
export type FormSubmission = {
  readonly values: { readonly [key: string]: string | number | boolean | readonly string[] };
  readonly conversation_id: string;
  readonly submission_id: string;
};

type Verified<Trigger, Body, Key> = {
  readonly trigger: Trigger;
  /** `X-Service-Trigger-Ref`: event name, conversation id, or form submission id. It is not signed, and neither is the trigger. */
  readonly triggerRef: string;
  /** When the request was signed, in Unix seconds. */
  readonly timestamp: number;
  /**
   * Store it under a unique constraint; on a repeat, answer 2xx and do nothing else. It comes from the signed body, and is null
   * when the request has no body, as with GET, and for AI-decided Actions.
   */
  readonly deduplicationKey: Key;
  /** Null when the Action's method is GET, which sends no body. */
  readonly body: Body | null;
};

export type VerifiedEvent = Verified<'event', EventEnvelope, string | null>;
/** A verified AI-decided call. Its body holds the arguments that the assistant produced. */
export type VerifiedAiCall = Verified<'ai', JsonObject, null>;
export type VerifiedForm = Verified<'form', FormSubmission, string | null>;
export type VerifiedAction = VerifiedEvent | VerifiedAiCall | VerifiedForm;

/**
 * Checks that an Action request was signed with the Action's signing secret at most 300 seconds from now, and parses it.
 *
 * @param rawBody the bytes as they arrived; a string is encoded as UTF-8. Parsing and serializing again breaks the signature.
 * @param secret the signing secret of the Action, or the secrets of all Actions that send to this endpoint
 * @throws VerificationError with `status` 400 or 401
 * @throws TypeError when called with a parsed body, or without a secret
 *
 * @example
 * const action = verifyAction(rawBody, request.headers, process.env.SIGNING_SECRET);
 * if (action.trigger === 'event' && action.body?.event === 'conversation.started') …
 */
export function verifyAction(
  rawBody: Uint8Array | string,
  headers: HeaderSource,
  secret: Secret,
  options: VerifyOptions = {},
): VerifiedAction {
  const secrets = secretsOf(secret);
  const bytes = bytesOf(rawBody);
  const { t, v1 } = parseActionSignature(headerValue(headers, 'x-service-signature'));
  const timestamp = Number(t);
  requireFresh(timestamp, options);
  if (!digestMatches(v1, secrets, [`${t}.`, bytes])) {
    throw new VerificationError('signature_mismatch', 'The signature does not match the body');
  }
  const trigger = headerValue(headers, 'x-service-trigger');
  const triggerRef = headerValue(headers, 'x-service-trigger-ref');
  if (triggerRef === undefined) throw malformed('X-Service-Trigger-Ref is missing');
  const common = { triggerRef, timestamp };
  const body = bytes.length === 0 ? null : jsonObject(bytes);
  switch (trigger) {
    case 'event':
      if (body === null) return { ...common, trigger, deduplicationKey: null, body };
      if (!isEnvelope(body) || body.event !== triggerRef) throw malformed('The body is not the envelope of this event');
      return { ...common, trigger, deduplicationKey: body.id, body };
    case 'form':
      if (body === null) return { ...common, trigger, deduplicationKey: null, body };
      if (!isSubmission(body) || body.submission_id !== triggerRef) throw malformed('The body is not this submission');
      return { ...common, trigger, deduplicationKey: body.submission_id, body };
    case 'ai':
      return { ...common, trigger, deduplicationKey: null, body };
    default:
      throw malformed('X-Service-Trigger must be event, ai or form');
  }
}

// The signature does not cover the trigger headers. A body that does not match them may be a signed request with changed headers.
function isEnvelope(body: JsonObject): body is EventEnvelope {
  const texts = [body.id, body.event, body.timestamp, body.site_id, body.org_id];
  return texts.every((text) => typeof text === 'string') && body.id !== '' && isJsonObject(body.data);
}

function isSubmission(body: JsonObject): body is FormSubmission {
  return (
    typeof body.submission_id === 'string' && typeof body.conversation_id === 'string' && isJsonObject(body.values)
  );
}

function malformed(message: string): VerificationError {
  return new VerificationError('request_malformed', message);
}
