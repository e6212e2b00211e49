import * as z from 'zod';
import { parseJson } from '../../contract/json.ts';
import { siteOfServerSecret } from '../auth/server-secret.ts';

export type PublicRequest = {
  readonly method: 'GET' | 'POST';
  /** Below `{base_url}`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
};

export type TryServicePorts = {
  /** Asks the service at its public address, as anybody does. Throws when no whole answer comes in time. */
  readonly ask: (request: PublicRequest) => Promise<{ readonly status: number; readonly text: string }>;
};

/** What is tried, in this order: the key that the canary was given, then what a page and a backend do. */
export type TriedStep = 'server_key' | 'session_create' | 'widget_init' | 'widget_file';

export type Trial =
  | { readonly succeeded: true }
  /** The first step that failed, and why: a status or a name of an error, never what was sent or answered. */
  | { readonly succeeded: false; readonly step: TriedStep; readonly problem: string };

const session = z.object({ success: z.literal(true), session_token: z.string().min(1), site_id: z.string().min(1) });
const initialized = z.object({ success: z.literal(true), site_id: z.string() });

/**
 * Does from outside what a customer's backend and page do, each time anew: mints a session token, initializes the widget with it, which
 * begins no conversation, and loads the widget's file. It passes the distribution, the API, three functions, the tables and the token keys.
 *
 * @param serverKey the server secret of an assistant that is kept for this
 */
export async function tryService(serverKey: string, ports: TryServicePorts): Promise<Trial> {
  if (siteOfServerSecret(serverKey) === undefined) return failed('server_key', 'no server secret was given');
  const created = await answered('session_create', session, ports, {
    method: 'POST',
    path: '/api/widget/session/create',
    headers: { 'X-Server-Key': serverKey },
    body: {},
  });
  if (!('answer' in created)) return created;
  const { session_token, site_id } = created.answer;
  const init = await answered('widget_init', initialized, ports, {
    method: 'POST',
    path: '/api/widget/init',
    headers: { 'X-Session-Token': session_token },
    body: { begin_conversation: false },
  });
  if (!('answer' in init)) return init;
  if (init.answer.site_id !== site_id) return failed('widget_init', 'another site answered');
  return widgetFile(ports);
}

async function widgetFile({ ask }: TryServicePorts): Promise<Trial> {
  try {
    const { status, text } = await ask({ method: 'GET', path: '/static/va-wave-widget.js' });
    if (status !== 200) return failed('widget_file', `status ${status}`);
    // It finds its own tag by this name, so every build has it; an error page does not.
    return text.includes('va-wave-widget') ? { succeeded: true } : failed('widget_file', 'it is not the widget');
  } catch (error) {
    return failed('widget_file', nameOf(error));
  }
}

async function answered<Answer>(
  step: TriedStep,
  schema: z.ZodType<Answer>,
  { ask }: TryServicePorts,
  request: PublicRequest,
): Promise<{ readonly answer: Answer } | Extract<Trial, { readonly succeeded: false }>> {
  try {
    const { status, text } = await ask(request);
    if (status !== 200) return failed(step, `status ${status}`);
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? { answer: parsed.data } : failed(step, 'the answer has another shape');
  } catch (error) {
    return failed(step, nameOf(error));
  }
}

const failed = (step: TriedStep, problem: string) => ({ succeeded: false, step, problem }) as const;

const thrown = z.object({ name: z.string(), cause: z.object({ code: z.string() }).optional().catch(undefined) });

/** The code of its cause, such as CERT_HAS_EXPIRED, else its name. Not its message: a parser's quotes what it was given. */
function nameOf(error: unknown): string {
  const { data } = thrown.safeParse(error);
  return data?.cause?.code ?? data?.name ?? 'unknown';
}
