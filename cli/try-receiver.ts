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

/** What a verified request is answered. */
export type Answer = {
  readonly status: number;
  /** How many requests are answered so; the next ones get 200 at once. */
  readonly times: number;
  readonly delayMs: number;
  /** JSON. */
  readonly body: string;
};

/** A request and what was found of it. */
export type Received = {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly verified: boolean;
  /** Why it was not verified; null when it was. */
  readonly problem: string | null;
  readonly action_id: string | null;
  readonly name: string | null;
  /** As the delivery log has them; what a usage webhook refers to is the session. */
  readonly trigger: VerifiedAction['trigger'] | 'usage' | null;
  readonly trigger_ref: string | null;
  /** Of a usage webhook. */
  readonly user_id: string | null;
  /** What repeats are recognized by; null for what has no such id. */
  readonly deduplication_key: string | null;
  /** How often this key has arrived, this one included. */
  readonly arrival: number;
  readonly answered: number;
  readonly body: string;
};

const LOOPBACK = '127.0.0.1';
/** Above what one event can hold. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Older keys are forgotten: the service repeats an event within seconds. */
const KEPT_KEYS = 10_000;

/**
 * An endpoint on this machine that verifies what it is sent, says what it found, and answers as it is told.
 * @throws CommandFailure when the port is taken
 */
export async function startTryReceiver(options: {
  readonly tls: { readonly cert: string; readonly key: string };
  readonly port: number;
  readonly actionsAt: (path: string) => Promise<readonly ReceivedAction[]>;
  /** Those that session create was given. The service keeps none, so that it cannot be asked. */
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
    const asTold = verdict.kind === 'verified' && ++verifiedRequests <= answer.times;
    const status = asTold ? answer.status : verdict.kind === 'verified' ? 200 : verdict.status;
    const common = { at: options.now().toISOString(), method: request.method ?? '', path, answered: status };
    const body = Buffer.from(rawBody).toString('utf8');
    options.onRequest(
      verdict.kind === 'verified'
        ? { ...common, ...foundIn(verdict, arrive), body }
        : { ...common, ...NOTHING_FOUND, problem: verdict.problem, body },
    );
    if (asTold) await sleep(answer.delayMs);
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

/** Several Actions may have one address; the signature tells which of them sent it. */
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

/** Only usage webhooks have this header, wherever their sessions send them. */
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

/** @throws what is no VerificationError */
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
    // Two Actions are told of one event under the same id.
    arrival: deduplicationKey === null ? 1 : arrive(`${action.action_id} ${deduplicationKey}`),
  };
}

const portTaken = (port: number) =>
  new CommandFailure(EXIT.refused, `Port ${port} is in use. Stop what listens there, or choose another with --port`);
