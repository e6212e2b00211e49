import * as z from 'zod';
import { CREDENTIAL_HEADERS, PUBLIC_OPERATIONS, type PublicBody } from '../../contract/public-operations.ts';
import type { Trial, TriedStep } from '../facts.ts';
import { parseJson } from '../parse-json.ts';
import { siteOfServerSecret } from './server-secret.ts';

export type PublicRequest = {
  readonly method: 'GET' | 'POST';
  /** Path below `{base_url}`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** Sends a request to the service at its public address. @throws Error when the whole response does not arrive in time */
export type Ask = (request: PublicRequest) => Promise<{ readonly status: number; readonly text: string }>;

/**
 * Uses the service from outside as a customer's backend and page do: creates a session token, initializes the widget with it, which
 * begins no conversation, and loads the widget's file. These requests use the distribution, the API, the functions of session create and
 * widget init, the tables of configuration and counters, and the token keys.
 *
 * @param serverKey the server secret of an assistant that is kept for this
 */
export async function tryService(serverKey: string, ask: Ask): Promise<Trial> {
  const { createSession, initWidget } = PUBLIC_OPERATIONS;
  let step: TriedStep = 'server_key';
  try {
    check(siteOfServerSecret(serverKey) !== undefined, 'what is stored is not a server secret');

    step = 'session_create';
    const { session_token, site_id } = await answerOf(ask, createSession.answer, {
      method: createSession.method,
      path: createSession.path,
      headers: { [CREDENTIAL_HEADERS.serverKey]: serverKey },
      body: {} satisfies PublicBody<'createSession'>,
    });

    step = 'widget_init';
    const init = await answerOf(ask, initWidget.answer, {
      method: initWidget.method,
      path: initWidget.path,
      headers: { [CREDENTIAL_HEADERS.sessionToken]: session_token },
      body: { begin_conversation: false } satisfies PublicBody<'initWidget'>,
    });
    check(init.site_id === site_id, 'another site answered');

    step = 'widget_file';
    const file = await textOf(ask, { method: 'GET', path: '/static/va-wave-widget.js' });
    // Every build contains this name, by which the widget finds its script tag. An error page does not contain it.
    check(file.includes('va-wave-widget'), 'it is not the widget');
    return { success: true };
  } catch (error) {
    return { success: false, step, problem: error instanceof Problem ? error.message : nameOf(error) };
  }
}

/** What is wrong with a response. Its message quotes nothing of it. */
class Problem extends Error {}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Problem(problem);
}

async function textOf(ask: Ask, request: PublicRequest): Promise<string> {
  const { status, text } = await ask(request);
  check(status === 200, `status ${status}`);
  return text;
}

async function answerOf<Answer>(ask: Ask, schema: z.ZodType<Answer>, request: PublicRequest): Promise<Answer> {
  const { success, data } = schema.safeParse(parseJson(await textOf(ask, request)));
  if (!success) throw new Problem('the response has a wrong shape');
  return data;
}

const code = z.string().optional().catch(undefined);
const thrownError = z.object({ name: z.string(), code, cause: z.object({ code }).optional().catch(undefined) });

/** Returns the code of an error or of its cause, such as CERT_HAS_EXPIRED, otherwise its name. Never its message, which may quote content. */
function nameOf(error: unknown): string {
  const { data } = thrownError.safeParse(error);
  return data?.code ?? data?.cause?.code ?? data?.name ?? 'unknown';
}
