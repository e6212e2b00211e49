import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { CreateTopicCommand, PublishCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { CloudError } from '../../../../local/cloud/cloud-error.ts';
import { type LocalCloud, startLocalCloud } from '../../../../local/local-cloud.ts';
import { assembleFixture, eventually, temporaryFolder } from './fixture/fixture-cloud.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
let assembly: string;
let cloud: LocalCloud;
let dynamo: DynamoDBClient;
let sqs: SQSClient;

const client = () => ({
  endpoint: cloud.gatewayUrl,
  region: cloud.region,
  credentials: cloud.credentials,
  maxAttempts: 1,
});
const output = (name: string): string => cloud.outputs[name] ?? '';

beforeAll(async () => {
  assembly = await assembleFixture(folder);
  cloud = await startLocalCloud({ data, assembly });
  dynamo = new DynamoDBClient(client());
  sqs = new SQSClient(client());
});
afterAll(() => cloud?.stop());

async function item(pk: string): Promise<Record<string, AttributeValue> | undefined> {
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName: output('Table'), Key: { pk: { S: pk } }, ConsistentRead: true }),
  );
  return Item;
}

const functionId = (name: string): string =>
  cloud.functions.find(({ logicalId }) => logicalId.startsWith(name))?.logicalId ?? '';

/** Makes the fixture's function answer with more than Lambda's 6 MB: it writes each of these numbers with 21 digits. */
const LARGE_ANSWER = `{"answer":[${Array.from({ length: 300_000 }, () => '1e20').join(',')}]}`;

/** Invokes the fixture's function, which makes a call with its own role. */
async function call(make: string, more: Readonly<Record<string, string>> = {}) {
  const { payload } = await cloud.invoke(functionId('Caller'), { make, ...more });
  const result: { error: string | null; message?: string } = JSON.parse(payload);
  return result;
}

describe('policies', () => {
  test('allow what the role allows, and name the statement', async () => {
    expect(await call('put')).toEqual({ error: null });
    expect(await call('get')).toEqual({ error: null });
    const grant = cloud.grants.find(({ action }) => action === 'dynamodb:PutItem');
    expect(grant).toMatchObject({
      caller: functionId('Caller'),
      resource: expect.stringContaining('table/Fixture-Items'),
    });
    expect(
      cloud.statements.find(({ role, index }) => role === grant?.statement?.role && index === grant.statement.index)
        ?.statement.Action,
    ).toEqual(expect.arrayContaining(['dynamodb:PutItem']));
  });

  test('refuse a member of a transaction that the role does not allow, by its own action', async () => {
    const { error, message } = await call('transact');
    expect(error).toBe('AccessDeniedException');
    expect(message).toMatch(
      /^User: arn:aws:sts::000000000000:assumed-role\/.* is not authorized to perform: dynamodb:DeleteItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/Fixture-Items/,
    );
    expect(cloud.denials.at(-1)).toMatchObject({ caller: functionId('Caller'), action: 'dynamodb:DeleteItem' });
    expect(cloud.messages.join('\n')).toContain('dynamodb:DeleteItem');
  });

  test('refuse a statement that the role does not allow, by its own action', async () => {
    expect(await call('insert')).toEqual({ error: null });
    expect(await call('change')).toMatchObject({
      error: 'AccessDeniedException',
      message: expect.stringContaining('not authorized to perform: dynamodb:PartiQLUpdate on resource'),
    });
    expect(await call('select')).toMatchObject({ error: 'UnknownOperationException' });
  });

  test('refuse another table, also one that does not exist', async () => {
    expect(await call('get', { table: 'another-table' })).toMatchObject({ error: 'AccessDeniedException' });
  });

  test('refuse a caller without a known key', async () => {
    const stranger = new DynamoDBClient({ ...client(), credentials: { accessKeyId: 'AKIA', secretAccessKey: 'x' } });
    await expect(stranger.send(new GetItemCommand({ TableName: 'x', Key: {} }))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
  });

  test('prevent a function without the permission from logging, and report it', async () => {
    await cloud.invoke(functionId('Silent'), {});
    await cloud.invoke(functionId('Echo'), {});
    await eventually(async () => (existsSync(join(cloud.logsFolder, `${functionId('Echo')}.log`)) ? true : undefined));
    expect(existsSync(join(cloud.logsFolder, `${functionId('Silent')}.log`))).toBe(false);
    expect(cloud.denials).toContainEqual(
      expect.objectContaining({ caller: functionId('Silent'), action: 'logs:PutLogEvents' }),
    );
  });
});

describe('queues', () => {
  // The first invocation starts the environment, which can take longer than the visibility timeout of one second.
  beforeAll(() => cloud.invoke(functionId('Consumer'), { Records: [] }));

  const send = (message: object, more: object = {}) =>
    sqs.send(new SendMessageCommand({ QueueUrl: output('QueueUrl'), MessageBody: JSON.stringify(message), ...more }));

  test('invoke their function with batches, with the group and any text', async () => {
    const Entries = ['b1', 'b2', 'b3'].map((id) => ({
      Id: id,
      MessageBody: JSON.stringify({ id, text: '𝒳🎉' }),
      MessageGroupId: 'g1',
    }));
    const sent = await sqs.send(new SendMessageBatchCommand({ QueueUrl: output('QueueUrl'), Entries }));
    expect(sent.Successful).toHaveLength(3);
    const seen = await eventually(() => item('seen-b1'));
    expect(seen).toMatchObject({
      batch_size: { N: '3' },
      group_id: { S: 'g1' },
      receives: { S: '1' },
      body_text: { S: expect.stringContaining('🎉') },
    });
  });

  test('deliver failed items again and then move them to the dead-letter queue, and delete the others of the batch', async () => {
    const Entries = [{ id: 'bad', fail: true }, { id: 'good' }].map((body) => ({
      Id: body.id,
      MessageBody: JSON.stringify(body),
    }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: output('QueueUrl'), Entries }));
    const dead = await eventually(async () => {
      const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: output('DeadLettersUrl') }));
      return Messages?.[0];
    });
    expect(dead.Body).toContain('"bad"');
    expect(await item('seen-bad')).toMatchObject({ seen: { N: '2' } });
    expect(await item('seen-good')).toMatchObject({ seen: { N: '1' } });
  });

  test('deliver a delayed message after its delay', async () => {
    const sentAt = Date.now();
    await send({ id: 'later' }, { DelaySeconds: 1 });
    const seen = await eventually(() => item('seen-later'));
    expect(Number(seen.at_ms?.N) - sentAt).toBeGreaterThanOrEqual(1000);
  });

  test('refuse a delay of more than 15 minutes', async () => {
    expect(await call('delay')).toMatchObject({
      error: 'InvalidParameterValue',
      message: expect.stringContaining('900'),
    });
  });

  test('accept a message of a function whose role allows it', async () => {
    expect(await call('send')).toEqual({ error: null });
    expect(await eventually(() => item('seen-from-function'))).toBeDefined();
  });

  test('have the attributes of the template', async () => {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: output('QueueUrl'), AttributeNames: ['All'] }),
    );
    expect(Attributes).toMatchObject({
      VisibilityTimeout: '1',
      RedrivePolicy: expect.stringContaining('"maxReceiveCount":2'),
    });
  });
});

describe('events', () => {
  const bridge = () => new EventBridgeClient(client());
  const entry = (DetailType: string, Detail = '{}') => ({
    EventBusName: output('BusName'),
    Source: 'test',
    DetailType,
    Detail,
  });

  test('reach the queue of a rule with a matching pattern, with their group', async () => {
    const detail = JSON.stringify({ id: 'event', group: 'org-1' });
    const { Entries } = await bridge().send(
      new PutEventsCommand({ Entries: [entry('unwanted', detail), entry('wanted', detail)] }),
    );
    const seen = await eventually(() => item('seen-event'));
    expect(seen).toMatchObject({ seen: { N: '1' }, group_id: { S: 'org-1' } });
    const event = JSON.parse(seen.body_text?.S ?? '');
    expect(event).toMatchObject({
      id: Entries?.[1]?.EventId,
      source: 'test',
      account: '000000000000',
      detail: { group: 'org-1' },
    });
    expect(event.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test('of one call are accepted or refused separately', async () => {
    const answer = await bridge().send(
      new PutEventsCommand({
        Entries: [
          entry('wanted', 'not json'),
          { ...entry('wanted'), Source: '' },
          { ...entry('wanted'), EventBusName: 'none' },
          entry('x'),
        ],
      }),
    );
    expect(answer.FailedEntryCount).toBe(3);
    expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      'MalformedDetail',
      'InvalidArgument',
      'ResourceNotFoundException',
      undefined,
    ]);
  });

  test('do not reach a queue whose policy does not allow the rule', async () => {
    await bridge().send(new PutEventsCommand({ Entries: [entry('stray')] }));
    expect(cloud.denials).toContainEqual(
      expect.objectContaining({
        caller: 'events.amazonaws.com',
        action: 'sqs:SendMessage',
        resource: expect.stringContaining('Closed'),
      }),
    );
  });
});

test('a schedule invokes its function only when it is due', async () => {
  const log = join(cloud.logsFolder, `${functionId('Echo')}.log`);
  const fired = () => (existsSync(log) ? readFileSync(log, 'utf8').split('Scheduled Event').length - 1 : 0);
  const day = 24 * 60 * 60 * 1000;
  await cloud.fireSchedules(Date.now() + 6 * day);
  await cloud.fireSchedules(Date.now() + 8 * day);
  await cloud.fireSchedules(Date.now() + 9 * day);
  await eventually(async () => (fired() > 0 ? true : undefined));
  expect(fired()).toBe(1);
});

describe('the other services', () => {
  test('generate secrets once, and keep the previous version', async () => {
    const secrets = new SecretsManagerClient(client());
    const SecretId = output('SecretArn');
    const first = await secrets.send(new GetSecretValueCommand({ SecretId }));
    expect(first.SecretString).toMatch(/^[A-Za-z0-9]{24}$/);
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: 'second' }));
    expect((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe('second');
    const previous = await secrets.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' }));
    expect(previous.SecretString).toBe(first.SecretString);
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: first.SecretString }));
  });

  test('move the current stage only from the version that has it', async () => {
    const secrets = new SecretsManagerClient(client());
    const SecretId = output('SecretArn');
    const { SecretString, VersionId } = await secrets.send(new GetSecretValueCommand({ SecretId }));
    const proposed = { SecretId, SecretString: 'proposed', VersionStages: ['AWSPENDING'] };
    const { VersionId: MoveToVersionId } = await secrets.send(new PutSecretValueCommand(proposed));
    expect((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe(SecretString);
    const move = (RemoveFromVersionId: string | undefined, to = MoveToVersionId) =>
      secrets.send(
        new UpdateSecretVersionStageCommand({
          SecretId,
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: to,
          RemoveFromVersionId,
        }),
      );
    await expect(move(MoveToVersionId, VersionId)).resolves.toBeDefined();
    await expect(move('another-version')).rejects.toThrow('is attached to the version');
    await move(VersionId);
    expect((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe('proposed');
    await move(MoveToVersionId, VersionId);
  });

  test('invoke a function with and without waiting for its result', async () => {
    const lambda = new LambdaClient(client());
    const FunctionName = cloud.functions.find(({ logicalId }) => logicalId === functionId('Echo'))?.name ?? '';
    const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: '{"answer":[1,2]}' }));
    expect(Buffer.from(answer.Payload ?? []).toString()).toBe('[1,2]');
    const failed = await lambda.send(
      new InvokeCommand({ FunctionName: functionId('Troubled'), Payload: '{"how":"throw"}' }),
    );
    expect(failed.FunctionError).toBe('Unhandled');
    expect(JSON.parse(Buffer.from(failed.Payload ?? []).toString())).toMatchObject({
      errorType: 'TypeError',
      errorMessage: 'as asked',
    });
    const large = await lambda.send(new InvokeCommand({ FunctionName, Payload: LARGE_ANSWER }));
    expect(large.FunctionError).toBe('Unhandled');
    expect(JSON.parse(Buffer.from(large.Payload ?? []).toString())).toMatchObject({
      errorType: 'Function.ResponseSizeTooLarge',
    });
    expect((await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event' }))).StatusCode).toBe(202);
    await expect(lambda.send(new InvokeCommand({ FunctionName: 'unknown' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  test('send a topic’s messages to a subscribed queue', async () => {
    const sns = new SNSClient(client());
    const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'topic' }));
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'listener' }));
    await sns.send(
      new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: 'arn:aws:sqs:us-east-1:000000000000:listener' }),
    );
    await sns.send(new PublishCommand({ TopicArn, Message: 'hello' }));
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages?.[0]?.Body).toContain('hello');
  });

  test('refuse an unknown call, and report it', async () => {
    await expect(
      new SecretsManagerClient(client()).send(new DeleteSecretCommand({ SecretId: output('SecretArn') })),
    ).rejects.toThrow('does not know secretsmanager DeleteSecret');
    expect(cloud.messages.join('\n')).toContain('DeleteSecret');
  });
});

describe('functions', () => {
  test('get the environment of Lambda, and no variable of this process', async () => {
    const { environment, functionName, remaining } = JSON.parse((await cloud.invoke(functionId('Echo'), {})).payload);
    expect(environment).toEqual(expect.arrayContaining(['TABLE', 'QUEUE_URL', 'AWS_REGION', 'AWS_ENDPOINT_URL']));
    expect(environment).not.toContain('PATH');
    expect(environment).not.toContain('HOME');
    expect(functionName).toMatch(/^Fixture-Echo/);
    expect(remaining).toBeGreaterThan(4000);
  });

  test('can be killed during an invocation', async () => {
    const running = cloud.invoke(functionId('Troubled'), { how: 'hang' });
    await sleep(100);
    await cloud.killFunction(functionId('Troubled'));
    expect((await running).failed).toBe(true);
  });
});

describe('HTTP', () => {
  test('routes to functions with an event in payload format 2.0', async () => {
    const response = await fetch(`${cloud.apiUrl}/api/echo/a%20b?x=1&x=2&y=%26`, {
      method: 'PATCH',
      headers: { 'X-Mixed-Case': 'v', 'content-type': 'application/json', cookie: 'a=1; b=2' },
      body: '{"k":"ü"}',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    const { event } = JSON.parse(await response.text());
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'ANY /api/echo/{id}',
      rawPath: '/api/echo/a b',
      rawQueryString: 'x=1&x=2&y=%26',
      queryStringParameters: { x: '1,2', y: '&' },
      pathParameters: { id: 'a b' },
      cookies: ['a=1', 'b=2'],
      headers: { 'x-mixed-case': 'v', host: cloud.apiUrl.slice(7) },
      requestContext: { stage: '$default', http: { method: 'PATCH', sourceIp: '127.0.0.1', path: '/api/echo/a b' } },
      body: '{"k":"ü"}',
      isBase64Encoded: false,
    });
    expect(event.headers.cookie).toBeUndefined();
  });

  test('takes headers and parameters that are called like members of an object', async () => {
    const response = await fetch(`${cloud.apiUrl}/api/echo/1?constructor=a&constructor=b`, {
      headers: { constructor: 'c' },
    });
    const { event } = JSON.parse(await response.text());
    expect([event.headers.constructor, event.queryStringParameters]).toEqual(['c', { constructor: 'a,b' }]);
  });

  test('uses greedy and default routes, and base64 for binary bodies', async () => {
    const tree = JSON.parse(await (await fetch(`${cloud.apiUrl}/api/tree/a/b/c`)).text());
    expect(tree.event).toMatchObject({ routeKey: 'GET /api/tree/{proxy+}', pathParameters: { proxy: 'a/b/c' } });
    const response = await fetch(`${cloud.apiUrl}/anything`, {
      method: 'PUT',
      body: new Uint8Array([255, 0]),
      headers: { 'content-type': 'image/png' },
    });
    expect(JSON.parse(await response.text()).event).toMatchObject({
      routeKey: '$default',
      body: '/wA=',
      isBase64Encoded: true,
    });
  });

  test('answers with the function’s result', async () => {
    const answer = {
      statusCode: 201,
      headers: { 'X-A': 'b', 'content-type': 'text/css' },
      cookies: ['c=1', 'd=2'],
      body: 'aGk=',
      isBase64Encoded: true,
    };
    const response = await fetch(`${cloud.apiUrl}/x`, { method: 'POST', body: JSON.stringify({ answer }) });
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('hi');
    expect(response.headers.get('x-a')).toBe('b');
    expect(response.headers.getSetCookie()).toEqual(['c=1', 'd=2']);
  });

  test('answers 500 when a function fails or its response is above 6 MB, 413 to a large body and 431 to large headers', async () => {
    const answer = await fetch(`${cloud.apiUrl}/x`, { method: 'POST', body: LARGE_ANSWER });
    expect([answer.status, await answer.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    const trouble = await fetch(`${cloud.apiUrl}/api/trouble`, { method: 'POST', body: 'throw' });
    expect([trouble.status, await trouble.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    const large = await fetch(`${cloud.apiUrl}/x`, { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) });
    expect([large.status, await large.text()]).toEqual([413, '{"message":"Request Entity Too Large"}']);
    const long = await fetch(`${cloud.apiUrl}/x`, { headers: { 'x-long': 'x'.repeat(10_240) } });
    expect(long.status).toBe(431);
  });
});

describe('the distribution', () => {
  test('serves deployed files with their metadata, and refuses other paths', async () => {
    const response = await fetch(`${cloud.baseUrl}/static/hello.js`, { headers: { origin: 'https://a.example' } });
    expect(await response.text()).toBe(`const table = '${output('Table')}';`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript',
      'cache-control': 'max-age=60',
      'access-control-allow-origin': '*',
    });
    const json = await fetch(`${cloud.baseUrl}/static/hello.json`);
    expect(await json.json()).toEqual({ bus: output('BusName'), quoted: expect.stringMatching(/^a"b"Fixture-Work/) });
    const again = await fetch(`${cloud.baseUrl}/static/hello.js`, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect((await fetch(`${cloud.baseUrl}/static/none.js`)).status).toBe(403);
    expect((await fetch(`${cloud.baseUrl}/static/%zz`)).status).toBe(403);
    expect((await fetch(`${cloud.baseUrl}/api/echo/1?%zz=1`, { method: 'POST' })).status).toBe(200);
    expect((await fetch(`${cloud.baseUrl}/static/hello.js`, { method: 'POST' })).status).toBe(403);
  });

  test('forwards to the API only what its policy allows, with its own header and the address of the viewer', async () => {
    // The viewer uses another loopback address than the distribution.
    const text = await new Promise<string>((resolve, reject) => {
      const url = new URL(`${cloud.baseUrl}/api/echo/1?kept=1&dropped=2`);
      const headers = {
        'X-Kept': 'yes',
        'X-Dropped': 'no',
        cookie: 'a=1',
        'CloudFront-Viewer-Address': '6.6.6.6:1',
        'x-origin-key': 'guess',
      };
      const viewer = request(url, { method: 'POST', localAddress: '127.0.0.9', headers }, (response) => {
        response.setEncoding('utf8');
        let received = '';
        response.on('data', (chunk) => {
          received += chunk;
        });
        response.on('end', () => resolve(received));
      });
      viewer.on('error', reject).end();
    });
    const { event } = JSON.parse(text);
    expect(event.rawQueryString).toBe('kept=1');
    expect(event.cookies).toBeUndefined();
    expect(event.headers).toMatchObject({
      'x-kept': 'yes',
      'cloudfront-viewer-address': expect.stringMatching(/^127\.0\.0\.9:\d+$/),
    });
    expect(event.headers['x-dropped']).toBeUndefined();
    expect(event.headers['x-origin-key']).toMatch(/^[A-Za-z0-9]{24}$/);
    expect(event.requestContext.http.sourceIp).toBe('127.0.0.1');
  });
});

test('a batch of statements makes each one that can be made, and says which one was not', async () => {
  const table = output('Table');
  const insert = (pk: string) => ({ Statement: `INSERT INTO "${table}" VALUE {'pk': ?}`, Parameters: [{ S: pk }] });
  const run = async (...pks: string[]) => {
    const { Responses = [] } = await dynamo.send(new BatchExecuteStatementCommand({ Statements: pks.map(insert) }));
    return Responses.map(({ Error: error }) => error?.Code);
  };
  expect(await run('statement-1', 'statement-2')).toEqual([undefined, undefined]);
  expect(await run('statement-3', 'statement-1', 'statement-4')).toEqual([undefined, 'DuplicateItem', undefined]);
  for (const number of [1, 2, 3, 4]) expect(await item(`statement-${number}`)).toBeDefined();
  await expect(run('statement-5', 'statement-5')).rejects.toMatchObject({ name: 'ValidationException' });
  expect(await item('statement-5')).toBeUndefined();
});

test('refuses broken tables with one message', async () => {
  const broken = join(folder, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'dynamodb.db'), 'nonsense that is long enough to be taken for something');
  const start = startLocalCloud({ data: broken, assembly });
  await expect(start).rejects.toThrow(CloudError);
  await expect(start).rejects.toThrow(/cannot be read.*--data/);
});

test('refuses an invalid certificate authority with one message', async () => {
  const authorities = [join(assembly, 'manifest.json')];
  const other = { data: join(folder, 'authority'), assembly };
  await expect(startLocalCloud({ ...other, authorities })).rejects.toThrow('is not a PEM file with a certificate');
});

test('keeps items, messages and secrets across a restart, and refuses calls of a removed statement', async () => {
  const secrets = () =>
    new SecretsManagerClient(client()).send(new GetSecretValueCommand({ SecretId: output('SecretArn') }));
  const { SecretString } = await secrets();
  await dynamo.send(new PutItemCommand({ TableName: output('Table'), Item: { pk: { S: 'kept' } } }));
  await sqs.send(
    new SendMessageCommand({ QueueUrl: output('QueueUrl'), MessageBody: '{"id":"kept-message"}', DelaySeconds: 1 }),
  );
  const statement = cloud.statements.find(({ statement: { Action } }) => Action?.includes('sqs:SendMessage'));
  await cloud.stop();
  if (statement === undefined) throw new Error('The fixture has no such statement');
  cloud = await startLocalCloud({ data, assembly, withoutStatement: statement });
  dynamo = new DynamoDBClient(client());
  sqs = new SQSClient(client());
  expect(await item('kept')).toBeDefined();
  expect((await secrets()).SecretString).toBe(SecretString);
  expect(await eventually(() => item('seen-kept-message'))).toBeDefined();
  expect(await call('send')).toMatchObject({ error: 'AccessDeniedException' });
  expect(cloud.denials.at(-1)).toMatchObject({ action: 'sqs:SendMessage' });
});
