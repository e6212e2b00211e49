import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type UsageReport,
  VerificationError,
  type VerifiedAction,
  verifyAction,
  verifyUsageWebhook,
} from '../packages/receiver/src/index.ts';
import { readRawBody } from '../packages/receiver/src/raw-body.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';

/** An Action that has the receiver as its endpoint. */
export type ReceivedAction = { readonly action_id: string; readonly name: string; readonly signingSecret: string };

/** The answer to a verified request. */
export type Answer = {
  readonly status: number;
  /** The number of requests that get this answer. Later requests get 200 at once. */
  readonly times: number;
  readonly delayMs: number;
  /** JSON. */
  readonly body: string;
};

/** A received request and the result of its verification. */
export type Received = {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly verified: boolean;
  /** The reason why the request was not verified. Null for a verified request. */
  readonly problem: string | null;
  readonly action_id: string | null;
  readonly name: string | null;
  /** The values of the delivery log. The reference of a usage webhook is its session. */
  readonly trigger: VerifiedAction['trigger'] | 'usage' | null;
  readonly trigger_ref: string | null;
  /** The user of a usage webhook. */
  readonly user_id: string | null;
  /** The key that identifies repeats. Null for a request without such an id. */
  readonly deduplication_key: string | null;
  /** The number of requests with this key until now, including this one. */
  readonly arrival: number;
  readonly answered: number;
  readonly body: string;
};

const LOOPBACK = '127.0.0.1';
/** Larger than any event. */
const MAX_BODY_BYTES = 1024 * 1024;
/** The receiver forgets older keys, because the service repeats an event within seconds. */
const KEPT_KEYS = 10_000;

/**
 * Starts an endpoint on this machine that verifies and reports each request, and sends the chosen answer.
 * @throws CommandFailure when the port is in use
 */
export async function startTryReceiver(options: {
  readonly tls: { readonly cert: string; readonly key: string };
  readonly port: number;
  readonly actionsAt: (path: string) => Promise<readonly ReceivedAction[]>;
  /** The secrets that the backend passed to session create. The service does not store them. */
  readonly usageSecrets: readonly string[];
  readonly answer: Answer;
  readonly now: () => Date;
  readonly onRequest: (received: Received) => void;
}): Promise<{ readonly stop: () => Promise<void> }> {
  const { answer } = options;
  const arrivals = new Map<string, number>();
  let verifiedRequests = 0;

  const arrive = (key: string): number => {
    const count = (arrivals.get(key) ?? 0) + 1;
    arrivals.set(key, count);
    const [oldest] = arrivals.keys();
    if (arrivals.size > KEPT_KEYS && oldest !== undefined) arrivals.delete(oldest);
    return count;
  };

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '/';
    const rawBody = await readRawBody(request, MAX_BODY_BYTES);
    const verdict = isUsageWebhook(request)
      ? verdictOfUsage(rawBody, request.headers, options.usageSecrets)
      : verdictOf(rawBody, request.headers, await options.actionsAt(path));
    const chosen = verdict.kind === 'verified' && ++verifiedRequests <= answer.times;
    const status = chosen ? answer.status : verdict.kind === 'verified' ? 200 : verdict.status;
    const common = { at: options.now().toISOString(), method: request.method ?? '', path, answered: status };
    const body = Buffer.from(rawBody).toString('utf8');
    options.onRequest(
      verdict.kind === 'verified'
        ? { ...common, ...foundIn(verdict, arrive), body }
        : { ...common, ...NOTHING_FOUND, problem: verdict.problem, body },
    );
    if (chosen) await sleep(answer.delayMs);
    const reply = verdict.kind === 'verified' ? answer.body : JSON.stringify({ message: verdict.problem });
    response.writeHead(status, { 'content-type': 'application/json' }).end(reply);
  };

  const server = createServer(options.tls);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? portTaken(options.port) : error),
    );
    server.listen(options.port, LOOPBACK, resolve);
  });
  return {
    stop: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

type Verified =
  | { readonly kind: 'verified'; readonly action: ReceivedAction; readonly request: VerifiedAction }
  | { readonly kind: 'verified'; readonly usage: UsageReport };
type Refused = { readonly kind: 'refused'; readonly status: number; readonly problem: string };

/** Verifies a request with the secrets of all Actions that have this address. The signature identifies the Action. */
function verdictOf(
  rawBody: Uint8Array,
  headers: IncomingMessage['headers'],
  actions: readonly ReceivedAction[],
): Verified | Refused {
  let refused: Refused = { kind: 'refused', status: 404, problem: 'No Action has this address' };
  for (const action of actions) {
    try {
      return { kind: 'verified', action, request: verifyAction(rawBody, headers, action.signingSecret) };
    } catch (error) {
      refused = refusedBy(error);
    }
  }
  return refused;
}

/** Returns whether the request is a usage webhook. Only usage webhooks have this header. */
function isUsageWebhook({ headers }: IncomingMessage): boolean {
  return headers['x-webhook-signature'] !== undefined;
}

function verdictOfUsage(
  rawBody: Uint8Array,
  headers: IncomingMessage['headers'],
  secrets: readonly string[],
): Verified | Refused {
  const problem = 'This is a usage webhook: name its secret with --usage-secret';
  if (secrets.length === 0) return { kind: 'refused', status: 404, problem };
  try {
    return { kind: 'verified', usage: verifyUsageWebhook(rawBody, headers, secrets) };
  } catch (error) {
    return refusedBy(error);
  }
}

/** @throws any error that is not a VerificationError */
function refusedBy(error: unknown): Refused {
  if (!(error instanceof VerificationError)) throw error;
  return { kind: 'refused', status: error.status, problem: error.message };
}

const NOTHING_FOUND = {
  verified: false,
  action_id: null,
  name: null,
  trigger: null,
  trigger_ref: null,
  user_id: null,
  deduplication_key: null,
  arrival: 1,
} as const;

function foundIn(verified: Verified, arrive: (key: string) => number) {
  if ('usage' in verified) {
    const { session_id, user_id, nonce } = verified.usage;
    return {
      ...NOTHING_FOUND,
      verified: true,
      problem: null,
      trigger: 'usage',
      trigger_ref: session_id,
      user_id,
      deduplication_key: nonce,
      arrival: arrive(nonce),
    } as const;
  }
  const { action, request } = verified;
  const { trigger, triggerRef, deduplicationKey } = request;
  return {
    ...NOTHING_FOUND,
    verified: true,
    problem: null,
    action_id: action.action_id,
    name: action.name,
    trigger,
    trigger_ref: triggerRef,
    deduplication_key: deduplicationKey,
    // Two Actions receive the same event with the same id.
    arrival: deduplicationKey === null ? 1 : arrive(`${action.action_id} ${deduplicationKey}`),
  };
}

const portTaken = (port: number) =>
  new CommandFailure(
    EXIT.refused,
    `Port ${port} is in use. Stop the program that listens on it, or choose another port with --port`,
  );
