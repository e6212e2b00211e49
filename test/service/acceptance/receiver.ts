import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Stripe from 'stripe';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { createAuthority } from '../adapters/outbound/authority.ts';

export type ReceivedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

/** The body of an answer, or a function that makes it from the request and may wait. */
export type ReceiverBody = string | ((request: ReceivedRequest) => string | Promise<string>);

/** A customer's endpoint with TLS. It keeps the requests and answers as the test configures it. */
export type Receiver = {
  readonly url: (path: string) => string;
  readonly requests: readonly ReceivedRequest[];
  /** The requests to one path, in the order of their arrival. */
  readonly to: (path: string) => readonly ReceivedRequest[];
  /** Sets the answers of a path: the statuses in turn, and then always the last one. The default answer is 200 `{}`. 301 leads to `/elsewhere`. */
  readonly answer: (path: string, statuses: readonly number[], body?: ReceiverBody) => void;
  /** Sets the bytes that a path answers with, in these pieces. The connection stays open. */
  readonly answerInPieces: (path: string, pieces: readonly string[]) => void;
  /** The file of the certificate of the authority that signed the receiver's certificate, for `--ca`. */
  readonly authorityFile: string;
  readonly stop: () => Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const authority = createAuthority();
  const authorityFile = join(temporaryFolder(), 'authority.pem');
  writeFileSync(authorityFile, authority.pem);
  const requests: ReceivedRequest[] = [];
  const answers = new Map<string, { statuses: number[]; body: ReceiverBody }>();
  const answersInPieces = new Map<string, readonly string[]>();
  const server = createServer(
    { ...authority.issue(['localhost', '127.0.0.1']), keepAlive: true },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const path = request.url ?? '';
        const { headers, method = '' } = request;
        const received = { method, path, headers, body: Buffer.concat(chunks), at: Date.now() };
        requests.push(received);
        for (const piece of answersInPieces.get(path) ?? []) {
          request.socket.write(piece, 'latin1');
          await nextTurn();
        }
        if (answersInPieces.has(path)) return;
        const answer = answers.get(path);
        const status =
          answer === undefined ? 200 : answer.statuses.length > 1 ? answer.statuses.shift() : answer.statuses[0];
        const body = answer?.body ?? '{}';
        const text = typeof body === 'string' ? body : await body(received);
        const to = status === 301 ? { location: '/elsewhere?token=hidden' } : {};
        response.writeHead(status ?? 200, { 'content-type': 'application/json', ...to }).end(text);
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `https://localhost:${port}${path}`,
    requests,
    to: (path) => requests.filter((request) => request.path === path),
    answer: (path, statuses, body = '{}') => answers.set(path, { statuses: [...statuses], body }),
    answerInPieces: (path, pieces) => answersInPieces.set(path, pieces),
    authorityFile,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const stripe = new Stripe('sk_test_none');

/** Checks the request's signature over its raw body with Stripe's verifier. @throws when the verifier refuses it */
export function verifyWithStripe(request: ReceivedRequest, signingSecret: string): void {
  const header = request.headers['x-service-signature'];
  if (typeof header !== 'string') throw new Error('X-Service-Signature is missing');
  stripe.webhooks.signature?.verifyHeader(request.body, header, signingSecret, 300);
}
