import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  readRawBody,
  type UsageReport,
  type UsageSecret,
  VerificationError,
  type VerifiedAction,
  verifyAction,
  verifyUsageWebhook,
} from '../packages/receiver/src/index.ts';
import type { Action } from '../src/contract/actions.ts';
import { BoundedMap } from '../src/domain/bounded-map.ts';
import { TRIGGER_HEADER_VALUES } from '../src/domain/delivery/action-request.ts';

/** An Action that has the receiver as its endpoint. */
export type ReceivedAction = Pick<Action, 'action_id' | 'name' | 'trigger'> & { readonly signingSecret: string };
/** How often the requests with one key came until now, and whether one was accepted. */
export type Arrivals = { readonly firstAt: Date; readonly count: number; readonly isAccepted: boolean };

type Verified =
  | { readonly kind: 'action'; readonly action: ReceivedAction; readonly request: VerifiedAction }
  | { readonly kind: 'usage'; readonly report: UsageReport };
/** A request that is not verified, with the status of the answer. */
type Refused = { readonly kind: 'refused'; readonly status: number; readonly problem: string };

export type ReceiverRequest<Verdict = Verified | Refused> = {
  readonly at: Date;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly verdict: Verdict;
  /** The id that identifies repeats: an envelope's id, a submission's id or a nonce. Null for a request without such an id. */
  readonly key: string | null;
  /** Before this request was answered, and including it. A request without a key is the first of its own. */
  readonly arrivals: Arrivals;
};

export type ReceiverAnswer = {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** @default content-type application/json */
  readonly headers?: IncomingHttpHeaders;
  readonly delayMs?: number;
};

/** A request to pass on: the bytes and headers as they arrived. */
type Forwarded = { readonly method: string; readonly rawHeaders: readonly string[]; readonly body: Uint8Array };

/** The receiver forgets older keys, because the service repeats an event within seconds. */
const KEPT_KEYS = 10_000;

/** Verifies with the package that customers install, and counts repeats. What it refuses gets 400, 401 or 404. */
export function receiverServer(options: {
  readonly tls: { readonly cert: string; readonly key: string };
  readonly actionsAt: (path: string) => Promise<readonly ReceivedAction[]>;
  /** The secrets that the backend passed to session create. The service does not store them. */
  readonly usageSecret: UsageSecret;
  readonly now: () => Date;
  readonly answer: (received: ReceiverRequest<Verified>) => ReceiverAnswer;
  /** Passes every request on, verified or not, to a server that verifies it itself. Its answer is the answer. */
  readonly forward?: (request: Forwarded) => Promise<ReceiverAnswer>;
  /** Called when the Actions cannot be read. The service gets a 503 and sends an event again. */
  readonly onFault?: (error: unknown) => void;
  readonly onRequest: (received: ReceiverRequest, answer: ReceiverAnswer) => void;
}): Server {
  const arrivals = new BoundedMap<string, Arrivals>(KEPT_KEYS);

  const ownAnswer = ({ verdict, ...received }: ReceiverRequest): ReceiverAnswer =>
    verdict.kind === 'refused'
      ? { status: verdict.status, body: JSON.stringify({ message: verdict.problem }) }
      : options.answer({ ...received, verdict });

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, url: path = '/', method = '' } = request;
    const rawBody = await readRawBody(request);
    // Only usage webhooks have this header.
    const verdict =
      headers['x-webhook-signature'] === undefined
        ? verdictOf(rawBody, headers, await options.actionsAt(path))
        : verdictOfUsage(rawBody, headers, options.usageSecret);
    const at = options.now();
    const { key, owner } = keyOf(verdict);
    const ownedKey = `${owner} ${key}`;
    const previousArrivals = arrivals.get(ownedKey);
    const currentArrivals = {
      firstAt: previousArrivals?.firstAt ?? at,
      count: (previousArrivals?.count ?? 0) + 1,
      isAccepted: previousArrivals?.isAccepted ?? false,
    };
    const body = Buffer.from(rawBody).toString('utf8');
    const receivedRequest = { at, method, path, headers, body, verdict, key, arrivals: currentArrivals };
    const answer =
      options.forward === undefined
        ? ownAnswer(receivedRequest)
        : await options.forward({ method, rawHeaders: request.rawHeaders, body: rawBody });
    if (key !== null) {
      arrivals.set(ownedKey, { ...currentArrivals, isAccepted: currentArrivals.isAccepted || answer.status < 300 });
    }
    options.onRequest(receivedRequest, answer);
    if (answer.delayMs !== undefined) await sleep(answer.delayMs);
    response.writeHead(answer.status, answer.headers ?? { 'content-type': 'application/json' }).end(answer.body);
  };

  return createServer(options.tls, (request, response) => {
    receive(request, response).catch((error: unknown) => {
      // The sender has gone before the end of the request.
      if (request.destroyed && !request.complete) return response.destroy();
      const isRefused = error instanceof VerificationError;
      if (!isRefused) options.onFault?.(error);
      response
        .writeHead(isRefused ? error.status : 503, { 'content-type': 'application/json' })
        .end(JSON.stringify({ message: isRefused ? error.message : 'The Actions cannot be read' }));
    });
  });
}

/** The service waits 5 seconds. A little longer shows that the server was slow. */
const FORWARD_TIMEOUT_MS = 6000;
/** Headers that belong to one connection or that the sender sets itself. */
const NOT_FORWARDED = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'trailer', 'content-length'];
const isForwarded = (name = '') => !NOT_FORWARDED.includes(name.toLowerCase());

/** Returns a function that passes a request on to this address, and resolves to 502 when nothing answers there. Follows no redirect. */
export function forwardTo(url: URL): (request: Forwarded) => Promise<ReceiverAnswer> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return ({ method, rawHeaders, body }) =>
    new Promise((resolve) => {
      // The error about several addresses, such as those of localhost, has no message.
      const answerFailure = ({ message, code }: NodeJS.ErrnoException) =>
        resolve({
          status: 502,
          body: JSON.stringify({ message: `${url.origin} does not answer: ${message || code}` }),
        });
      // Names and values alternate. A value is kept with its name, which stands before it.
      const forwardedHeaders = rawHeaders.filter((_, at) => isForwarded(rawHeaders[at - (at % 2)]));
      const length = method === 'GET' ? [] : ['Content-Length', String(body.length)];
      const headers = ['Host', url.host, ...forwardedHeaders, ...length];
      const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
      const request = open(url, { method, headers, agent: false, signal }, (response) => {
        const { statusCode: status = 502 } = response;
        const forwardedHeaders = Object.fromEntries(
          Object.entries(response.headers).filter(([name]) => isForwarded(name)),
        );
        buffer(response).then((body) => resolve({ status, body, headers: forwardedHeaders }), answerFailure);
      });
      request.on('error', answerFailure).end(body);
    });
}

export function closeServer(server: { close(done: () => void): unknown; closeAllConnections(): void }): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

/** Verifies a request with the secrets of all Actions that have this address. The signature identifies the Action. */
function verdictOf(
  rawBody: Uint8Array,
  headers: IncomingHttpHeaders,
  actions: readonly ReceivedAction[],
): Verified | Refused {
  let refusal: Refused = { kind: 'refused', status: 404, problem: 'No Action has this address' };
  for (const action of actions) {
    try {
      const receiver = { trigger: TRIGGER_HEADER_VALUES[action.trigger], secret: action.signingSecret };
      return { kind: 'action', action, request: verifyAction(rawBody, headers, receiver) };
    } catch (error) {
      refusal = refusedBy(error);
    }
  }
  return refusal;
}

/** Verifies a usage webhook with the secrets that the operator or the demo knows. */
function verdictOfUsage(rawBody: Uint8Array, headers: IncomingHttpHeaders, secret: UsageSecret): Verified | Refused {
  const problem = 'This is a usage webhook: name its secret with --usage-secret';
  if (typeof secret === 'object' && secret.length === 0) return { kind: 'refused', status: 404, problem };
  try {
    return { kind: 'usage', report: verifyUsageWebhook(rawBody, headers, { secret }) };
  } catch (error) {
    return refusedBy(error);
  }
}

/** @throws any error that is not a VerificationError */
function refusedBy(error: unknown): Refused {
  if (!(error instanceof VerificationError)) throw error;
  return { kind: 'refused', status: error.status, problem: error.message };
}

/** Two Actions receive the same event with the same id, so a key belongs to an Action. */
function keyOf(verdict: Verified | Refused): { readonly key: string | null; readonly owner: string } {
  if (verdict.kind === 'usage') return { key: verdict.report.nonce, owner: 'usage' };
  if (verdict.kind === 'refused') return { key: null, owner: '' };
  return { key: verdict.request.deduplicationKey, owner: verdict.action.action_id };
}
