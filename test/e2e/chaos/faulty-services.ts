import { createHash } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SEALING_KEY, TOKEN_KEY } from '../../../bench/setting/aws-stub.ts';

export const SERVICES = ['DynamoDB', 'SQS', 'SecretsManager', 'EventBridge'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** How a service fails. `slow` answers after the client has given up. */
export type Fault = 'throttling' | 'failing' | 'refusing' | 'slow';

const ANSWERS = { throttling: [400, 'ThrottlingException'], failing: [500, 'InternalServerError'] } as const;

export type QueuedMessage = { readonly id: string; readonly body: string };

/** The AWS services that the functions call. A test can make each service fail. DynamoDB is a real engine; the queue keeps its messages. */
export type FaultyServices = {
  readonly origin: string;
  readonly deliveries: QueuedMessage[];
  /** The request bodies of PutEvents. */
  readonly published: string[];
  /** Makes a service fail. @param only the calls whose body contains this text; by default every call */
  readonly fail: (service: ServiceName, fault: Fault, only?: string) => void;
  readonly mend: () => void;
  /** Returns how many calls have failed. */
  readonly failedCalls: () => number;
  readonly stop: () => void;
};

export async function startFaultyServices(dynamoOrigin: string): Promise<FaultyServices> {
  const faults = new Map<ServiceName, { readonly fault: Fault; readonly only: string }>();
  const deliveries: QueuedMessage[] = [];
  const published: string[] = [];
  let sent = 0;
  let failedCalls = 0;
  const enqueue = (body: string) => {
    const id = `delivery-${sent++}`;
    deliveries.push({ id, body });
    // The client compares the digest with the message that it sent.
    return { MessageId: id, MD5OfMessageBody: createHash('md5').update(body).digest('hex') };
  };
  const perform = (operation: string, text: string): object => {
    const input = JSON.parse(text);
    if (operation === 'GetSecretValue') return { SecretString: SECRETS[input.SecretId] };
    if (operation === 'SendMessageBatch') {
      const entries: { Id: string; MessageBody: string }[] = input.Entries;
      return { Successful: entries.map(({ Id, MessageBody }) => ({ Id, ...enqueue(MessageBody) })), Failed: [] };
    }
    if (operation === 'PutEvents') {
      published.push(text);
      return { FailedEntryCount: 0, Entries: [{ EventId: 'event' }] };
    }
    throw new Error(`The fake services do not know ${operation}`);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const [target = '', operation = ''] = String(request.headers['x-amz-target']).split('.');
    const service = SERVICE_OF_TARGET[target] ?? 'DynamoDB';
    const failing = faults.get(service);
    if (failing !== undefined && body.includes(failing.only)) {
      failedCalls++;
      answerFault(failing.fault, response);
      return;
    }
    if (service === 'DynamoDB') {
      const forwarded = httpRequest(dynamoOrigin, { method: 'POST', headers: request.headers }, (answered) => {
        response.writeHead(answered.statusCode ?? 500, answered.headers);
        answered.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      forwarded.end(body);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(perform(operation, body.toString())));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    deliveries,
    published,
    fail: (service, fault, only = '') => faults.set(service, { fault, only }),
    mend: () => faults.clear(),
    failedCalls: () => failedCalls,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const SECRETS: Readonly<Record<string, string>> = {
  'token-keys': JSON.stringify(TOKEN_KEY),
  'sealing-key': JSON.stringify(SEALING_KEY),
  'origin-secret': 'an origin secret of the tests',
};

const SERVICE_OF_TARGET: Readonly<Record<string, ServiceName>> = {
  DynamoDB_20120810: 'DynamoDB',
  AmazonSQS: 'SQS',
  secretsmanager: 'SecretsManager',
  AWSEvents: 'EventBridge',
};

function answerFault(fault: Fault, response: ServerResponse): void {
  if (fault === 'refusing') response.destroy();
  if (fault === 'refusing' || fault === 'slow') return;
  const [status, code] = ANSWERS[fault];
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: code, message: 'A fault of the tests' }));
}
