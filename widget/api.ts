import type { ErrorResponse } from '../src/contract/errors.ts';
import type { PublicPath } from '../src/contract/public-operations.ts';
import type { InitResponse } from '../src/contract/widget.ts';
import type { Settings } from './page.ts';
import { textFile } from './texts.ts';

// The requests to the API. The widget relies on nothing in an answer that it has not checked.

/** The parts of an error answer. A part that the answer does not have is an empty text. */
export type Refused = Readonly<Record<keyof Pick<ErrorResponse, 'code' | 'error' | 'field'>, string>>;

export type Answer<T> = {
  /** 0 means no readable answer: a network error, a timeout or the browser's cross-origin check. */
  readonly status: number;
  /** What the answer grants; undefined after any failure. */
  readonly granted: T | undefined;
  readonly refused: Refused;
};

/** A path of the API below its base. */
type Path = `${PublicPath<'initWidget'>}?site=${string}` | PublicPath<'submitForm'>;

/** Longer than the 5 s that the service allows the customer's endpoint. */
const TIMEOUT_MS = 15_000;

export function apiClient({ base, debug }: Settings) {
  let ended = false;

  const send = async (path: Path, headers: Readonly<Record<string, string>>, body: string) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
    try {
      const response = await fetch(base + path, {
        method: 'POST',
        credentials: 'omit',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal: controller.signal,
      });
      const answered: unknown = await response.json().catch(() => undefined);
      return { status: ended ? 0 : response.status, answered };
    } catch {
      return { status: 0, answered: undefined };
    } finally {
      clearTimeout(timer);
    }
  };

  /**
   * Logs one line about a failed request, with advice for the page's developer by error code (texts/x-debug.json). It logs nothing unless
   * the tag has data-debug="true", so visitors do not load the advice. When a preflight is refused, the browser hides the answer from
   * the page. If the advice still loads, the Domain is wrong (the empty code); if not, the service is unreachable.
   */
  const log = async (what: string, { status, refused: { code, error } }: Answer<unknown>) => {
    if (!debug) return;
    const advice = await textFile(base, 'x-debug');
    const advised = advice ? (advice[code] ?? '') : 'No answer: check the network and connect-src.';
    console.warn(`[va-wave] ${what} failed: HTTP ${status} ${error}. ${advised}`);
  };

  return {
    /**
     * Sends a request.
     * @param what its name in the log
     * @param body as JSON
     * @param grantedBy returns what a body with status 200 grants, or undefined for a body of another shape
     */
    post: async <T>(
      what: string,
      path: Path,
      headers: Readonly<Record<string, string>>,
      body: string,
      grantedBy: (body: unknown) => T | undefined,
    ): Promise<Answer<T>> => {
      const { status, answered } = await send(path, headers, body);
      const granted = status === 200 ? grantedBy(answered) : undefined;
      const answer = { status, granted, refused: refusedBy(answered) };
      if (granted === undefined) void log(what, answer);
      return answer;
    },
    /** Takes every answer that arrives from now on as no answer. */
    end: () => {
      ended = true;
    },
  };
}

/** Writes a JSON object from the JSON of its members, so that a number keeps every digit. */
export function jsonObject(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`)}}`;
}

/** Returns whether init's answer has everything that the panel needs. */
export function isInitResponse(body: unknown): body is InitResponse {
  const { success, conversation_id, forms } = Object(body);
  return (
    success === true &&
    (conversation_id === null || hasTexts(body, 'conversation_id')) &&
    hasTexts(body, 'visitor_id') &&
    Array.isArray(forms) &&
    forms.every(
      (form) =>
        hasTexts(form, 'slug', 'name') &&
        Array.isArray(Object(form).fields) &&
        Object(form).fields.every((field: unknown) => hasTexts(field, 'key', 'label', 'type')),
    )
  );
}

/** Returns the id of an accepted submission. */
export function submissionId(body: unknown): string | undefined {
  return Object(body).success === true ? String(Object(body).submission_id) : undefined;
}

function refusedBy(body: unknown): Refused {
  const text = (name: keyof Refused) => (hasTexts(body, name) ? body[name] : '');
  return { code: text('code'), error: text('error'), field: text('field') };
}

function hasTexts<N extends string>(value: unknown, ...names: N[]): value is Record<N, string> {
  return names.every((name) => typeof Object(value)[name] === 'string');
}
