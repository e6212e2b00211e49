import { createHash } from 'node:crypto';
import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SEALING_KEY, TOKEN_KEY } from '../../bench/setting/aws-stub.ts';

export const SERVICES = ['DynamoDB', 'SQS', 'SecretsManager', 'EventBridge'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** How a service fails; `slow` answers long after everybody has gone. */
export type Fault = 'throttling' | 'failing' | 'refusing' | 'slow';

const ANSWERS = { throttling: [400, 'ThrottlingException'], failing: [500, 'InternalServerError'] } as const;

export type QueuedMessage = { readonly id: string; readonly body: string };

/** The AWS services as functions reach them, each of which can be told to fail. DynamoDB is a real engine, the queue keeps its messages. */
export type FaultyServices = {
  readonly origin: string;
  readonly deliveries: QueuedMessage[];
  /** Bodies of the calls of PutEvents. */
  readonly published: string[];
  readonly fail: (service: ServiceName, fault: Fault) => void;
  readonly mend: () => void;
  readonly stop: () => void;
};

export async function startFaultyServices(dynamoOrigin: string): Promise<FaultyServices> {
  const faults = new Map<ServiceName, Fault>();
  const deliveries: QueuedMessage[] = [];
  const published: string[] = [];
  let sent = 0;
  const enqueue = (body: string) => {
    const id = `delivery-${sent++}`;
    deliveries.push({ id, body });
    // The client compares it with what it sent.
    return { MessageId: id, MD5OfMessageBody: createHash('md5').update(body).digest('hex') };
  };
  const perform = (operation: string, text: string): object => {
    const input = JSON.parse(text);
    if (operation === 'GetSecretValue') return { SecretString: SECRETS[input.SecretId] };
    if (operation === 'SendMessage') return enqueue(input.MessageBody);
    if (operation === 'SendMessageBatch') {
      const entries: { Id: string; MessageBody: string }[] = input.Entries;
      return { Successful: entries.map(({ Id, MessageBody }) => ({ Id, ...enqueue(MessageBody) })), Failed: [] };
    }
    if (operation === 'PutEvents') {
      published.push(text);
      return { FailedEntryCount: 0, Entries: [{ EventId: 'event' }] };
    }
    throw new Error(`Nobody has asked for ${operation} before`);
  };
  const server = createServer((request, response) => {
    const [target = '', operation = ''] = String(request.headers['x-amz-target']).split('.');
    const service = SERVICE_OF_TARGET[target] ?? 'DynamoDB';
    const fault = faults.get(service);
    if (fault !== undefined) {
      request.resume();
      answerFault(fault, response);
      return;
    }
    if (service === 'DynamoDB') {
      const forwarded = httpRequest(dynamoOrigin, { method: 'POST', headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      request.pipe(forwarded);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(perform(operation, Buffer.concat(chunks).toString())));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    deliveries,
    published,
    fail: (service, fault) => faults.set(service, fault),
    mend: () => faults.clear(),
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
