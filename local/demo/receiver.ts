import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { DemoCertificates } from './certificates.ts';
import type { Feed } from './feed.ts';
import { listen } from './listen.ts';
import { verifyRequest } from './verification.ts';

export type Receiver = {
  readonly port: number;
  /** Signing secret by path; a path without one is unknown. */
  readonly secrets: Map<string, string>;
  stop(): Promise<void>;
};

type Arrivals = { readonly firstAt: number; count: number; accepted: boolean };

/** Older keys are forgotten: the service repeats an event within seconds. */
const KEPT_KEYS = 10_000;

/**
 * The customer's endpoint: takes what is verified, once per envelope or submission id, and shows everything on the feed.
 * @param fail how many requests of each event are answered 503 before one is taken, so that retries can be seen
 */
export async function startReceiver(options: {
  readonly certificates: DemoCertificates;
  readonly preferredPort: number;
  readonly fail: number;
  readonly feed: Feed;
}): Promise<Receiver> {
  const secrets = new Map<string, string>();
  const arrivals = new Map<string, Arrivals>();
  let number = 0;

  const arrive = (key: string, now: number): Arrivals => {
    const known = arrivals.get(key) ?? { firstAt: now, count: 0, accepted: false };
    known.count++;
    arrivals.set(key, known);
    const [oldest] = arrivals.keys();
    if (arrivals.size > KEPT_KEYS && oldest !== undefined) arrivals.delete(oldest);
    return known;
  };

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '/';
    const secret = secrets.get(path);
    const rawBody = await buffer(request);
    if (secret === undefined) return answer(response, 404, 'no such hook');
    const signature = text(request.headers['x-service-signature']);
    const trigger = text(request.headers['x-service-trigger']);
    const now = Date.now();
    const verification = verifyRequest(rawBody, signature, secret);
    const key = verification.verified ? keyOf(verification.payload) : '';
    // Two Actions are told of the same event under the same id, so an id is known per Action.
    const known = verification.verified ? arrive(`${path} ${key}`, now) : undefined;
    const status = !verification.verified
      ? verification.status
      : trigger === 'event' && (known?.count ?? 0) <= options.fail
        ? 503
        : 200;
    options.feed.push({
      number: ++number,
      at: new Date(now).toISOString(),
      path,
      trigger,
      triggerRef: text(request.headers['x-service-trigger-ref']),
      key,
      signature,
      verified: verification.verified,
      problem: verification.verified ? '' : verification.problem,
      answered: status,
      duplicate: known?.accepted ?? false,
      arrival: known?.count ?? 1,
      sinceFirstMs: known === undefined ? 0 : now - known.firstAt,
      body: rawBody.toString('utf8'),
    });
    // A repeat is answered 2xx as well, and nothing is done for it a second time.
    if (known !== undefined && status === 200) known.accepted = true;
    answer(response, status, status === 200 ? 'accepted' : 'not accepted');
  };

  const server = createServer({ cert: options.certificates.certificate, key: options.certificates.key });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    receive(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options.preferredPort);
  return {
    port,
    secrets,
    stop: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function keyOf(payload: Readonly<Record<string, unknown>>): string {
  return String(payload.id ?? payload.submission_id ?? '');
}

function text(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}
