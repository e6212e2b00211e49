import type { Method } from '../../contract/actions.ts';
import { type DeliveryError, FAILURES, type FailureCode, failureCodeOf } from '../../contract/delivery-record.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { EVENT_RETRY_DELAYS_SECONDS, RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';
import type { AttemptOutcome, EndpointAnswer, OutboundRequest } from '../context.ts';
import { responseText } from './response-text.ts';
import { withoutWithheld } from './signature.ts';

/** Which response is a success, and which failure is tried again (spec "Outbound delivery outcomes", docs/delivery.md). */

type ReceivedResponse = {
  readonly status: number;
  readonly body: Uint8Array;
  readonly contentType?: string | undefined;
  /** Why the body is not whole, or not as far as the caller needs it; otherwise null. */
  readonly problem: DeliveryError | null;
  readonly location?: string | undefined;
};

const NO_TEXT = '(not text)';

/**
 * Returns the answer that a response is, with the first 2000 characters of its body (spec "Delivery log record"). All texts of an endpoint pass
 * here, or through `failureAnswer`, before anything keeps them: test endpoints often echo the request.
 * @param request what was sent: the texts that it withholds are removed
 */
export function responseAnswer(
  { status, body, contentType, problem, location }: ReceivedResponse,
  { withheldTexts, method }: Pick<OutboundRequest, 'withheldTexts' | 'method'>,
): EndpointAnswer {
  const failure = failureOfStatus(status, location && withoutWithheld(location, withheldTexts), method);
  const message = problem === null ? failure?.message : `${failure?.message}. ${problem.message}`;
  const error = failure === null ? problem : { code: failure.code, message: message ?? '' };
  const decodedText = responseText(body, contentType);
  const text = decodedText === undefined ? null : withoutWithheld(decodedText, withheldTexts);
  return {
    status,
    text,
    response_excerpt: truncateCharacters(text ?? NO_TEXT, RESPONSE_EXCERPT_CHARACTERS),
    latency_ms: 0,
    success: failure === null,
    error: error && { code: error.code, message: withoutWithheld(error.message, withheldTexts) },
  };
}

function failureOfStatus(status: number, location: string | undefined, method: Method): DeliveryError | null {
  if (status < 300) return null;
  if (status < 400) {
    const to = location === undefined ? '' : ` to ${shortenedLocation(location)}`;
    const message = `The endpoint sent a redirect (status ${status})${to}; redirects are not followed`;
    return { code: 'redirect', message };
  }
  const hint =
    method === 'GET' && [400, 411, 415].includes(status)
      ? '. A GET request has a Content-Type and no body, which some servers refuse'
      : '';
  return { code: 'http_status', message: `The endpoint responded with status ${status}${hint}` };
}

/** Returns the address of a redirect without its query, which may have a secret, and without what could forge a line. */
const shortenedLocation = (location: string) => location.replace(/[?#].*|[^\x20-\x7e]/gs, '').slice(0, 200);

/** Returns the answer of an attempt without a usable response. @param status that the peer sent, when it is not valid in HTTP */
export function failureAnswer(
  { code, message }: DeliveryError,
  status: number | null = null,
  withheldTexts: readonly string[] = [],
): EndpointAnswer {
  const error = { code, message: withoutWithheld(message, withheldTexts) };
  return { status, text: null, response_excerpt: status === null ? null : '', latency_ms: 0, success: false, error };
}

/** Returns the seconds until the attempt that follows an ended one of an Event delivery; undefined when none follows. */
export function retryDelay(attempt: number, result: AttemptOutcome): number | undefined {
  const failure = failureCodeOf(result);
  if (failure === undefined || !isRetried(failure, result.status)) return undefined;
  return EVENT_RETRY_DELAYS_SECONDS[attempt - 1];
}

export function isRetried(code: FailureCode, status: number | null): boolean {
  if (code === 'http_status') return status === 408 || status === 429 || (status ?? 0) >= 500;
  return FAILURES[code].isRetried;
}
