import { type MessagePort, workerData } from 'node:worker_threads';
import type { TransportLimits } from '../src/adapters/aws-transport.ts';
import type { Call, CallAnswer } from './cloud/functions/execution-environment.ts';

/**
 * The transport of one machine, bundled in place of the deployed one: a call is a message to the thread of the gateway. It costs two thirds
 * of the processor time of a call over HTTP. A bundle that runs elsewhere, as in a benchmark, has no such thread and uses HTTP.
 */
const gateway: MessagePort | undefined = workerData?.gateway;

/** A request of the SDK, signed. */
type SdkRequest = {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
};

const waitingById = new Map<number, (answer: CallAnswer) => void>();
let lastId = 0;
gateway?.on('message', (answer: CallAnswer) => waitingById.get(answer.id)?.(answer));

/** Returns the `requestHandler` of an SDK client, as src/adapters/aws-transport.ts does. */
export const awsTransport = (limits: TransportLimits): object =>
  gateway === undefined ? limits : { handle: (request: SdkRequest) => handle(gateway, request, limits.requestTimeout) };

async function handle(port: MessagePort, { method, path, query = {}, headers, body }: SdkRequest, timeoutMs: number) {
  lastId += 1;
  const id = lastId;
  const search = new URLSearchParams(query).toString();
  const call: Call = {
    id,
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    // A copy, because a repetition sends the same body. Buffer.from would take the SDK's bytes for text, of which the SDK warns in the log.
    body: new Uint8Array(typeof body === 'string' ? Buffer.from(body) : (body ?? [])),
  };
  const { promise, resolve, reject } = Promise.withResolvers<CallAnswer>();
  // The SDK repeats a call after an error of this name.
  const late = () => reject(Object.assign(new Error(`No answer within ${timeoutMs} ms`), { name: 'TimeoutError' }));
  const timer = setTimeout(late, timeoutMs);
  waitingById.set(id, resolve);
  try {
    port.postMessage(call, [call.body.buffer]);
    const answer = await promise;
    return { response: { statusCode: answer.status, headers: answer.headers, body: answer.body } };
  } finally {
    clearTimeout(timer);
    waitingById.delete(id);
  }
}
