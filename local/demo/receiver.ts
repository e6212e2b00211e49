import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { ReceiverCertificates } from '../receiver-certificates.ts';
import type { Feed, SignedHeaders } from './feed.ts';
import { listen } from './listen.ts';
import { type Verification, verifyRequest, verifyUsage } from './verification.ts';

export type Receiver = {
  readonly port: number;
  /** By path; a path without an Action is unknown. */
  readonly actions: Map<string, { readonly name: string; readonly signingSecret: string }>;
  stop(): Promise<void>;
};

type Arrivals = { readonly firstAt: number; count: number; accepted: boolean };

/** Where the usage webhook of the members' sessions leads. */
export const USAGE_PATH = '/members/usage';

/** What is shown of a request, and sent again when it is replayed. */
const SIGNED_HEADERS = [
  'X-Service-Signature',
  'X-Service-Trigger',
  'X-Service-Trigger-Ref',
  'X-Webhook-Signature',
  'X-Webhook-Timestamp',
];

/** What Northwind Bikes pays for one conversation: about eight questions. */
const BUDGET_TOKENS = 4000;
const ORDERS: Readonly<Record<number, string>> = { 1001: 'ready for pick-up', 1002: 'on its way' };

/** Older keys are forgotten: the service repeats an event within seconds. */
const KEPT_KEYS = 10_000;

/**
 * Starts the customer's endpoint. It accepts verified requests, once per envelope id, submission id or nonce, and shows all requests.
 * @param fail how many requests of each event get a 503 before one is accepted, to show retries
 */
export async function startReceiver(options: {
  readonly certificates: ReceiverCertificates;
  readonly preferredPort: number;
  readonly fail: number;
  /** Of the usage webhook; another one for every user. */
  readonly usageSecretOf: (userId: string) => string;
  readonly feed: Feed;
}): Promise<Receiver> {
  const actions: Receiver['actions'] = new Map();
  const arrivals = new Map<string, Arrivals>();
  /** Tokens by user since their conversation began. */
  const spent = new Map<string, number>();
  let number = 0;

  const arrive = (key: string, now: number): Arrivals => {
    const known = arrivals.get(key) ?? { firstAt: now, count: 0, accepted: false };
    known.count++;
    arrivals.set(key, known);
    const [oldest] = arrivals.keys();
    if (arrivals.size > KEPT_KEYS && oldest !== undefined) arrivals.delete(oldest);
    return known;
  };

  const verify = (path: string, rawBody: Buffer, headers: SignedHeaders): Verification | undefined => {
    if (path === USAGE_PATH) return verifyUsage(rawBody, headers, ({ user_id }) => options.usageSecretOf(user_id));
    const secret = actions.get(path)?.signingSecret;
    return secret === undefined ? undefined : verifyRequest(rawBody, headers['X-Service-Signature'] ?? '', secret);
  };

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '/';
    const rawBody = await buffer(request);
    const headers = signedHeaders(request);
    const verification = verify(path, rawBody, headers);
    if (verification === undefined) return answer(response, 404, { message: 'no such hook' });
    const trigger = path === USAGE_PATH ? 'usage' : (headers['X-Service-Trigger'] ?? '');
    const payload = verification.verified ? verification.payload : {};
    const now = Date.now();
    const key = trigger === 'ai' ? '' : keyOf(payload);
    // Two Actions are told of the same event under the same id, so an id is known per Action.
    const known = key === '' ? undefined : arrive(`${path} ${key}`, now);
    const status = !verification.verified
      ? verification.status
      : trigger === 'event' && (known?.count ?? 0) <= options.fail
        ? 503
        : 200;
    options.feed.push({
      number: ++number,
      at: new Date(now).toISOString(),
      path,
      action: actions.get(path)?.name ?? '',
      trigger,
      triggerRef: headers['X-Service-Trigger-Ref'] ?? String(payload.session_id ?? ''),
      key,
      headers,
      verified: verification.verified,
      problem: verification.verified ? '' : verification.problem,
      answered: status,
      duplicate: known?.accepted ?? false,
      arrival: known?.count ?? 1,
      sinceFirstMs: known === undefined ? 0 : now - known.firstAt,
      body: rawBody.toString('utf8'),
    });
    // A duplicate also gets a 2xx, but is not processed again.
    const isNew = status === 200 && !known?.accepted;
    if (known !== undefined && status === 200) known.accepted = true;
    if (isNew) count(trigger, payload, spent);
    answer(response, status, status === 200 ? replyTo(trigger, payload, spent) : { message: 'not accepted' });
  };

  const server = createServer({ cert: options.certificates.certificate, key: options.certificates.key });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    receive(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options.preferredPort);
  return {
    port,
    actions,
    stop: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function keyOf(payload: Readonly<Record<string, unknown>>): string {
  return String(payload.id ?? payload.submission_id ?? payload.nonce ?? '');
}

function signedHeaders(request: IncomingMessage): SignedHeaders {
  return Object.fromEntries(
    SIGNED_HEADERS.flatMap((name) => {
      const value = request.headers[name.toLowerCase()];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

/** Keeps the account of what a user's conversation costs. */
function count(trigger: string, payload: Readonly<Record<string, unknown>>, spent: Map<string, number>): void {
  if (payload.event === 'conversation.started') spent.delete(String(Object(payload.data).visitor_id));
  if (trigger !== 'usage') return;
  const user = String(payload.user_id);
  spent.set(user, (spent.get(user) ?? 0) + Number(Object(payload.usage).total_tokens));
}

/** An AI-decided Action feeds its answer back to the assistant; that of a usage webhook may stop the conversation. */
function replyTo(
  trigger: string,
  payload: Readonly<Record<string, unknown>>,
  spent: ReadonlyMap<string, number>,
): object {
  switch (trigger) {
    case 'ai':
      return { order: { number: payload.number, status: ORDERS[Number(payload.number)] ?? 'not one of ours' } };
    case 'usage':
      return { should_continue: (spent.get(String(payload.user_id)) ?? 0) < BUDGET_TOKENS };
    default:
      return { message: 'accepted' };
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
