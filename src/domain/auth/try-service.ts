import * as z from 'zod';
import { CREDENTIAL_HEADERS, PUBLIC_OPERATIONS, type PublicBody } from '../../contract/public-operations.ts';
import { parseJson } from '../parse-json.ts';
import { siteOfServerSecret } from './server-secret.ts';

export type PublicRequest = {
  readonly method: 'GET' | 'POST';
  /** Path below `{base_url}`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
};

/** Sends a request to the service at its public address. @throws Error when the whole response does not arrive in time */
export type Ask = (request: PublicRequest) => Promise<{ readonly status: number; readonly text: string }>;

/** The steps in their order: the configured server secret, session create, widget init, the widget's file. */
export type TriedStep = 'server_key' | 'session_create' | 'widget_init' | 'widget_file';

export type Trial =
  | { readonly succeeded: true }
  /** The first step that failed, and its problem: a status or the name of an error, never content of a request or response. */
  | { readonly succeeded: false; readonly step: TriedStep; readonly problem: string };

/**
 * Uses the service from outside as a customer's backend and page do: creates a session token, initializes the widget with it, which
 * begins no conversation, and loads the widget's file. These requests use the distribution, the API, the functions of session create and
 * widget init, the tables of configuration and counters, and the token keys.
 *
 * @param serverKey the server secret of an assistant that is kept for this
 */
export async function tryService(serverKey: string, ask: Ask): Promise<Trial> {
  if (siteOfServerSecret(serverKey) === undefined) return failed('server_key', 'what is stored is not a server secret');
  const { createSession, initWidget } = PUBLIC_OPERATIONS;
  const created = await answered('session_create', createSession.answer, ask, {
    method: createSession.method,
    path: createSession.path,
    headers: { [CREDENTIAL_HEADERS.serverKey]: serverKey },
    body: {} satisfies PublicBody<'createSession'>,
  });
  if (!('answer' in created)) return created;
  const { session_token, site_id } = created.answer;
  const init = await answered('widget_init', initWidget.answer, ask, {
    method: initWidget.method,
    path: initWidget.path,
    headers: { [CREDENTIAL_HEADERS.sessionToken]: session_token },
    body: { begin_conversation: false } satisfies PublicBody<'initWidget'>,
  });
  if (!('answer' in init)) return init;
  if (init.answer.site_id !== site_id) return failed('widget_init', 'another site answered');
  return widgetFile(ask);
}

async function widgetFile(ask: Ask): Promise<Trial> {
  try {
    const { status, text } = await ask({ method: 'GET', path: '/static/va-wave-widget.js' });
    if (status !== 200) return failed('widget_file', `status ${status}`);
    // Every build contains this name, by which the widget finds its script tag. An error page does not contain it.
    return text.includes('va-wave-widget') ? { succeeded: true } : failed('widget_file', 'it is not the widget');
  } catch (error) {
    return failed('widget_file', nameOf(error));
  }
}

async function answered<Answer>(
  step: TriedStep,
  schema: z.ZodType<Answer>,
  ask: Ask,
  request: PublicRequest,
): Promise<{ readonly answer: Answer } | Extract<Trial, { readonly succeeded: false }>> {
  try {
    const { status, text } = await ask(request);
    if (status !== 200) return failed(step, `status ${status}`);
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? { answer: parsed.data } : failed(step, 'the response has a wrong shape');
  } catch (error) {
    return failed(step, nameOf(error));
  }
}

const failed = (step: TriedStep, problem: string) => ({ succeeded: false, step, problem }) as const;

const code = z.string().optional().catch(undefined);
const thrown = z.object({ name: z.string(), code, cause: z.object({ code }).optional().catch(undefined) });

/** Returns the code of an error or of its cause, such as CERT_HAS_EXPIRED, otherwise its name. Never its message, which may quote content. */
function nameOf(error: unknown): string {
  const { data } = thrown.safeParse(error);
  return data?.code ?? data?.cause?.code ?? data?.name ?? 'unknown';
}
