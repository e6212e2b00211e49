import { parseActionSignature } from './action-signature.ts';
import { requireFresh, type VerifyOptions } from './freshness.ts';
import { type HeaderSource, headerValue } from './headers.ts';
import { isJsonObject, type JsonObject, jsonObject } from './json-object.ts';
import { bytesOf, digestMatches, type Secret } from './secrets.ts';
import { VerificationError } from './verification-error.ts';

/** Body of an Event Action request. */
export type EventEnvelope = {
  /** UUID, fresh per event: the same event may come more than once, always under the same id. */
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
  /** `X-Service-Trigger-Ref`: event name, conversation id, or form submission id. Like the trigger, no part of what is signed. */
  readonly triggerRef: string;
  /** When the request was signed, in Unix seconds. */
  readonly timestamp: number;
  /**
   * Store it with a unique key; on a repeat, answer 2xx and do nothing else. It is taken from the body, which is signed: null when
   * the request has none, as on GET, or no such id.
   */
  readonly deduplicationKey: Key;
  /** Null when the Action's method is GET, which sends no body. */
  readonly body: Body | null;
};

export type VerifiedEvent = Verified<'event', EventEnvelope, string | null>;
/** The body is the arguments that the assistant produced. */
export type VerifiedAiCall = Verified<'ai', JsonObject, null>;
export type VerifiedForm = Verified<'form', FormSubmission, string | null>;
export type VerifiedAction = VerifiedEvent | VerifiedAiCall | VerifiedForm;

/**
 * Checks that an Action request was signed with the Action's signing secret, not more than 300 seconds from now, and reads it.
 *
 * @param rawBody the bytes as they arrived; a string is taken as UTF-8. Parsing and serializing again breaks the signature.
 * @param secret the signing secret of the Action, or those of all Actions that have this endpoint
 * @throws VerificationError with `status` 400 or 401
 * @throws TypeError when called with a parsed body or an empty secret
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
  const bytes = bytesOf(rawBody);
  const { t, v1 } = parseActionSignature(headerValue(headers, 'x-service-signature'));
  const timestamp = Number(t);
  requireFresh(timestamp, options);
  if (!digestMatches(v1, secret, [`${t}.`, bytes])) {
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

// The trigger headers are not signed: a body that does not fit them was sent again under other headers.
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
