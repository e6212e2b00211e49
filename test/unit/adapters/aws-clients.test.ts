import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import {
  type AwsAccess,
  cloudFormationClient,
  cognitoClient,
  dynamoDbClient,
  eventBridgeClient,
  lambdaClient,
  logsClient,
  secretsManagerClient,
  snsClient,
  sqsClient,
} from '../../../src/adapters/aws-clients.ts';
import { restoreEnvironmentAfterEach } from '../../harness/environment.ts';
import { originOf } from '../../harness/server.ts';

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'EXAMPLEKEY' };

type Received = { readonly headers: IncomingMessage['headers']; readonly body: string };
type Reply = (response: ServerResponse) => void;

let received: Received[] = [];
let replies: Reply[] = [];
const server = createServer(async (request, response) => {
  received.push({ headers: request.headers, body: await text(request) });
  (replies.shift() ?? says(200, '{}'))(response);
});
const origin = await originOf(server);
beforeEach(() => {
  received = [];
  replies = [];
});

const says =
  (status: number, body: string): Reply =>
  (response) =>
    response.writeHead(status).end(body);
const fails = (status: number, name: string) =>
  says(status, JSON.stringify({ __type: `com.amazon#${name}`, message: 'no' }));

const access = (more: Partial<AwsAccess> = {}): AwsAccess => ({
  endpoint: origin,
  region: 'eu-central-1',
  credentials: CREDENTIALS,
  ...more,
});
const aTable = (more?: Partial<AwsAccess>) => {
  const client = dynamoDbClient(access(more));
  return { read: () => client.send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'key' } } })) };
};
restoreEnvironmentAfterEach();

/** Long enough for a response on a busy machine. The test waits five times as long. */
const ATTEMPT_MS = 500;
const IMPATIENT = {
  requestHandler: { requestTimeout: ATTEMPT_MS, socketTimeout: ATTEMPT_MS, throwOnRequestTimeout: true },
};

test('an endpoint is used whatever endpoints of AWS the environment asks for', async () => {
  Object.assign(process.env, { AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'true' });
  await aTable().read();
  expect(received).toHaveLength(1);
});

test.each([
  ['DynamoDB', dynamoDbClient, 3, 2000],
  ['SQS', sqsClient, 3, 3000],
  ['Secrets Manager', secretsManagerClient, 3, 2500],
  ['EventBridge', eventBridgeClient, 3, 2500],
  ['SNS', snsClient, 2, 2000],
  ['Lambda', lambdaClient, 1, 14_000],
  ['Cognito', cognitoClient, 3, 5000],
  ['CloudFormation', cloudFormationClient, 3, 5000],
  ['CloudWatch Logs', logsClient, 3, 5000],
])('%s has its number of attempts and its timeout', async (_, clientOf, attempts, ms) => {
  const { config } = clientOf(access());
  expect(await config.maxAttempts()).toBe(attempts);
  const { hostname, port } = new URL(origin);
  // The client reads its settings at the first call.
  await config.requestHandler.handle({ protocol: 'http:', hostname, port, method: 'POST', path: '/', headers: {} });
  expect(settingsOf(config.requestHandler)).toMatchObject({
    connectionTimeout: 1000,
    requestTimeout: ms,
    socketTimeout: ms,
    throwOnRequestTimeout: true,
  });
});

describe('a call is attempted three times', () => {
  test.each<[string, Reply]>([
    ['an internal error of the service', fails(500, 'InternalServerError')],
    ['an unavailable service', says(503, '<html>')],
    ['a throttled table', fails(400, 'ProvisionedThroughputExceededException')],
    ['a transaction in progress', fails(400, 'TransactionInProgressException')],
    ['a connection that breaks', (response) => response.destroy()],
    [
      'a response that breaks off',
      (response) => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
    ],
  ])('%s', async (_, reply) => {
    replies = [reply, reply, says(200, '{"Item":{"pk":{"S":"key"}}}')];
    expect(await aTable().read()).toMatchObject({ Item: { pk: { S: 'key' } } });
    expect(received).toHaveLength(3);
  });

  test('and fails when no attempt succeeds', async () => {
    replies = Array(4).fill(fails(500, 'InternalServerError'));
    await expect(aTable().read()).rejects.toThrow();
    expect(replies).toHaveLength(1);
  });

  test('a response that does not begin, or pauses, for longer than the timeout', async () => {
    const silent: Reply = () => undefined;
    replies = [silent, (response) => response.writeHead(200).write('{"Item"'), says(200, '{}')];
    await aTable(IMPATIENT).read();
    expect(received).toHaveLength(3);
  });

  test('but a function is invoked once', async () => {
    replies = [fails(500, 'ServiceException')];
    await expect(lambdaClient(access()).send(new InvokeCommand({ FunctionName: 'f' }))).rejects.toThrow();
    expect(received).toHaveLength(1);
  });

  test('but a refused call is made once', async () => {
    replies = [fails(400, 'ValidationException')];
    await expect(aTable().read()).rejects.toMatchObject({ name: 'ValidationException' });
    expect(received).toHaveLength(1);
  });
});

describe('a call', () => {
  test('has the input of its own command, although the middleware stack is cached', async () => {
    const client = dynamoDbClient(access());
    const put = (name: string) =>
      client.send(new PutItemCommand({ TableName: name, Item: { pk: { S: name }, bytes: { B: Buffer.from(name) } } }));
    await Promise.all(['one', 'two'].map(put));
    await client.send(new GetItemCommand({ TableName: 'three', Key: { pk: { S: 'three' } } }));
    const bodies = received.map(({ headers, body }) => [headers['x-amz-target'], JSON.parse(body)]);
    expect(bodies.sort()).toEqual([
      ['DynamoDB_20120810.GetItem', { TableName: 'three', Key: { pk: { S: 'three' } } }],
      ['DynamoDB_20120810.PutItem', { TableName: 'one', Item: { pk: { S: 'one' }, bytes: { B: 'b25l' } } }],
      ['DynamoDB_20120810.PutItem', { TableName: 'two', Item: { pk: { S: 'two' }, bytes: { B: 'dHdv' } } }],
    ]);
  });

  test("uses the endpoint of the environment, also when a queue's URL has another one", async () => {
    Object.assign(process.env, { AWS_ENDPOINT_URL_SQS: origin, AWS_REGION: 'eu-central-1' });
    const client = sqsClient({ credentials: CREDENTIALS });
    const QueueUrl = 'http://127.0.0.1:1/000000000000/queue';
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'text' }));
    expect(received).toHaveLength(1);
  });

  test('that is refused has an error without the input and the stored item', async () => {
    replies = [says(400, '{"__type":"x#AccessDeniedException","message":"m","stored":"stored-and-private"}')];
    const refused: unknown = await secretsManagerClient(access())
      .send(new GetSecretValueCommand({ SecretId: 'asked-and-private' }))
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'AccessDeniedException' });
    expect(inspect(refused) + JSON.stringify(refused)).not.toMatch(/asked-and-private|EXAMPLEKEY|Signature/);
  });
});

const settingsOf = (handler: object): unknown =>
  'httpHandlerConfigs' in handler && typeof handler.httpHandlerConfigs === 'function' && handler.httpHandlerConfigs();
