import type { ErrorResponse } from '../src/contract/errors.ts';
import type { PublicPath } from '../src/contract/public-operations.ts';
import type { InitResponse } from '../src/contract/widget.ts';
import type { TagSettings } from './page.ts';
import { textFile } from './texts.ts';

// The requests to the API. The widget relies on nothing in an answer that it has not checked.

/** The parts of an error answer. A part that the answer does not have is empty. */
export type RefusalParts = Readonly<Record<keyof Pick<ErrorResponse, 'code' | 'error'>, string>> & {
  readonly fields: NonNullable<ErrorResponse['fields']>;
};

export type ApiAnswer<T> = {
  /** 0 means no readable answer: a network error, a timeout or the browser's cross-origin check. */
  readonly status: number;
  readonly isTimeout?: boolean;
  /** What the answer grants; undefined after any failure. */
  readonly grant: T | undefined;
  readonly refusal: RefusalParts;
  /** Seconds that a refusal asks to wait; 0 without such a wish. */
  readonly retryAfter: number;
};

type Path = `${PublicPath<'initWidget'>}?site=${string}` | PublicPath<'submitForm'>;

/** Longer than the 5 s that the service allows the customer's endpoint. */
const TIMEOUT_MS = 15_000;

/** Makes the requests of one session. None of them throws: an answer says what failed. */
export function apiClient({ base, debug }: TagSettings) {
  let isEnded = false;

  const send = async (path: Path, headers: Readonly<Record<string, string>>, body: string) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(base + path, {
        method: 'POST',
        credentials: 'omit',
        // It then arrives also when the visitor leaves the page. Browsers take 64 KB at once, and a character has at most 3 bytes.
        keepalive: body.length < 2e4,
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal,
      });
      const answerBody: unknown = await response.json().catch((error) => {
        // An answer that ends in the middle is no answer.
        if (!(error instanceof SyntaxError)) throw error;
      });
      return {
        status: isEnded ? 0 : response.status,
        answerBody,
        retryAfter: Number(response.headers.get('retry-after')) || 0,
      };
    } catch {
      return { status: 0, isTimeout: signal.aborted, answerBody: null, retryAfter: 0 };
    }
  };

  /** How many requests in a row had no answer. Negative after the first answer, which shows that the browser hides none. */
  let unansweredCount = 0;

  /**
   * Logs one line about a failed request, with advice for the page's developer by error code (texts/x-debug.json). It logs nothing without
   * data-debug, so visitors do not load the advice. The browser hides from the page why a request has no answer: the service is
   * unreachable when another request of any kind fails too, and the answers are hidden (the empty code) when none ever arrived.
   */
  const log = async (what: string, path: Path, { status, isTimeout, refusal }: ApiAnswer<unknown>) => {
    if (!debug || isEnded) return;
    const isReached =
      status || isTimeout || (await fetch(base + path, { mode: 'no-cors', cache: 'no-store' }).catch(() => 0));
    const advice = !isReached
      ? 'No answer: check the network and connect-src.'
      : status || isTimeout || unansweredCount > 1
        ? ((await textFile(base, 'x-debug'))?.[isTimeout ? 'timeout' : refusal.code] ?? '')
        : '';
    console.warn(`[va-wave] ${what} failed: HTTP ${status} ${refusal.error}. ${advice}`);
  };

  return {
    /** @param grantIn returns what a body with status 200 and `success` grants, or undefined for a body of another shape */
    post: async <T>(
      what: string,
      path: Path,
      headers: Readonly<Record<string, string>>,
      body: string,
      grantIn: (body: unknown) => T | undefined,
    ): Promise<ApiAnswer<T>> => {
      // A header cannot carry every value that the page's tag may have. Such a request gets the service's answer to one without credentials.
      const { answerBody, ...answerHead } = /^[\w.-]+$/.test(Object.values(headers).join())
        ? await send(path, headers, body)
        : { status: 401, answerBody: { code: 'credentials_required' }, retryAfter: 0 };
      unansweredCount = answerHead.status ? -1e9 : unansweredCount + 1;
      const grant = answerHead.status === 200 && Object(answerBody).success === true ? grantIn(answerBody) : undefined;
      const answer = { ...answerHead, grant, refusal: refusalIn(answerBody) };
      if (!grant) void log(what, path, answer);
      return answer;
    },
    /** Takes every answer that arrives from now on as no answer. */
    end: () => {
      isEnded = true;
    },
  };
}

/** Writes a JSON object from the JSON of its members, so that a number keeps every digit. */
export function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`)}}`;
}

/** Returns whether init's answer has everything that the panel needs. */
export function isInitResponse(body: unknown): body is InitResponse {
  const { conversation_id, forms } = Object(body);
  return (
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

function refusalIn(body: unknown): RefusalParts {
  const text = (name: 'code' | 'error') => (hasTexts(body, name) ? body[name] : '');
  const { fields } = Object(body);
  const wrongFields = Array.isArray(fields) ? fields.filter((one) => hasTexts(one, 'field', 'problem')) : [];
  return { code: text('code'), error: text('error'), fields: wrongFields };
}

/** Returns whether a value has a text under each of these names. */
export function hasTexts<N extends string>(value: unknown, ...names: N[]): value is Record<N, string> {
  return names.every((name) => typeof Object(value)[name] === 'string');
}
