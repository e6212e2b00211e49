import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CloudError } from '../../../../local/cloud/cloud-error.ts';
import { synthesize } from '../../../../local/cloud/template/assembly.ts';
import { type LocalCloud, startLocalCloud } from '../../../../local/local-cloud.ts';
import { callerArn } from '../../../../src/adapters/aws-account.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { eventually, until } from '../../../harness/until.ts';
import { sqsEvent } from '../../../unit/lambdas/invocation.ts';
import { assemblyWithout } from '../assembly-without.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
const assembly = join(folder, 'assembly');
let cloud: LocalCloud;

const output = (name: string): string => cloud.outputs[name] ?? '';

beforeAll(async () => {
  const cdkJson = new URL('../../../../cdk.json', import.meta.url);
  await synthesize(new URL('./fixture/app.ts', import.meta.url), cdkJson, assembly);
  cloud = await startLocalCloud({ data, assembly });
});
afterAll(() => cloud?.stop());

const SERVICES = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  AWSEvents: 'events',
  secretsmanager: 'secretsmanager',
};

/** Makes a call in a JSON protocol of AWS. The fixture's functions and the suites of the service make theirs with the SDK. */
async function aws(
  protocol: keyof typeof SERVICES,
  operation: string,
  parameters: object,
  key = cloud.credentials.accessKeyId,
) {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `${protocol}.${operation}`,
    'x-amz-date': '20200101T000000Z',
    authorization: `AWS4-HMAC-SHA256 Credential=${key}/20200101/us-east-1/${SERVICES[protocol]}/aws4_request, SignedHeaders=host, Signature=0`,
  };
  const response = await fetch(cloud.gatewayUrl, { method: 'POST', headers, body: JSON.stringify(parameters) });
  return JSON.parse(await response.text());
}
const dynamo = (operation: string, parameters: object) => aws('DynamoDB_20120810', operation, parameters);
const onQueue = (operation: string, parameters: object = {}, queue = 'QueueUrl') =>
  aws('AmazonSQS', operation, { QueueUrl: output(queue), ...parameters });
const send = (...messages: readonly { readonly id: string; readonly fail?: boolean }[]) =>
  onQueue('SendMessageBatch', {
    Entries: messages.map((message) => ({ Id: message.id, MessageBody: JSON.stringify(message) })),
  });
const onSecret = (operation: string, parameters: object = {}) =>
  aws('secretsmanager', operation, { SecretId: output('SecretArn'), ...parameters });

const item = async (pk: string) =>
  (await dynamo('GetItem', { TableName: output('Table'), Key: { pk: { S: pk } }, ConsistentRead: true })).Item;

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
  test('refuse a member of a transaction that the role does not allow, by its own action', async () => {
    expect(await call('transact')).toEqual({
      error: 'AccessDeniedException',
      message: expect.stringMatching(
        /^User: arn:aws:sts::000000000000:assumed-role\/.* is not authorized to perform: dynamodb:DeleteItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/Fixture-Items/,
      ),
    });
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

  test('refuse another table, also one that does not exist, and a caller without a known key', async () => {
    expect(await call('get', { table: 'another-table' })).toMatchObject({ error: 'AccessDeniedException' });
    const stranger = await aws('DynamoDB_20120810', 'GetItem', { TableName: 'x', Key: {} }, 'AKIA');
    expect(stranger.__type).toBe('UnrecognizedClientException');
  });

  test('prevent a function without the permission from logging, and report it', async () => {
    await cloud.invoke(functionId('Silent'), {});
    await cloud.invoke(functionId('Echo'), {});
    await until(() => existsSync(join(cloud.logsFolder, `${functionId('Echo')}.log`)));
    expect(existsSync(join(cloud.logsFolder, `${functionId('Silent')}.log`))).toBe(false);
    expect(cloud.denials).toContainEqual(
      expect.objectContaining({ caller: functionId('Silent'), action: 'logs:PutLogEvents' }),
    );
  });
});

describe('queues', () => {
  // The first invocation starts the environment and its client, which can take longer than the visibility timeout.
  beforeAll(() => cloud.invoke(functionId('Consumer'), sqsEvent({ id: 'first' })));

  test('deliver failed items again and then move them to the dead-letter queue, and delete the others of the batch', async () => {
    await send({ id: 'bad', fail: true }, { id: 'good' });
    const dead = await eventually(async () => (await onQueue('ReceiveMessage', {}, 'DeadLettersUrl')).Messages?.[0]);
    expect(dead.Body).toContain('"bad"');
    expect(await item('seen-bad')).toMatchObject({ seen: { N: '2' } });
    expect(await item('seen-good')).toMatchObject({ seen: { N: '1' } });
  });

  test('move their dead letters back as AWS documents it: one task at a time, of a dead-letter queue of a queue, at a rate', async () => {
    const arnOf = async (queue: string) =>
      (await onQueue('GetQueueAttributes', { AttributeNames: ['QueueArn'] }, queue)).Attributes.QueueArn;
    const [SourceArn, DestinationArn] = [await arnOf('DeadLettersUrl'), await arnOf('QueueUrl')];
    const start = (more: object) =>
      onQueue('StartMessageMoveTask', { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: 1, ...more });
    const tasks = async () => (await onQueue('ListMessageMoveTasks', { SourceArn, MaxResults: 10 })).Results;
    const letters = ['letter-1', 'letter-2', 'letter-3'];
    for (const id of letters) await onQueue('SendMessage', { MessageBody: JSON.stringify({ id }) }, 'DeadLettersUrl');
    for (const [more, code] of [
      [{ SourceArn: DestinationArn, DestinationArn: SourceArn }, 'InvalidParameterValue'],
      [{ DestinationArn: SourceArn }, 'InvalidParameterValue'],
      [{ MaxNumberOfMessagesPerSecond: 501 }, 'InvalidParameterValue'],
      [{ SourceArn: `${SourceArn}-2` }, 'ResourceNotFoundException'],
    ] as const)
      expect((await start(more)).__type).toContain(code);
    expect(await tasks()).toEqual([]);
    const { TaskHandle } = await start({});
    expect((await start({})).__type).toContain('InvalidParameterValue');
    expect(await tasks()).toEqual([expect.objectContaining({ TaskHandle, Status: 'RUNNING' })]);
    const { ApproximateNumberOfMessagesMoved: moved } = await onQueue('CancelMessageMoveTask', { TaskHandle });
    expect(moved).toBeLessThan(letters.length);
    expect((await onQueue('CancelMessageMoveTask', { TaskHandle })).__type).toContain('UnsupportedOperation');
    await start({ MaxNumberOfMessagesPerSecond: 500 });
    await until(async () => (await tasks())[0].Status === 'COMPLETED');
    expect(await tasks()).toMatchObject([{ ApproximateNumberOfMessagesMoved: 3 - moved }, { Status: 'CANCELLED' }]);
    for (const id of letters) expect(await eventually(() => item(`seen-${id}`))).toMatchObject({ seen: { N: '1' } });
  });

  test('refuse a delay of more than 15 minutes', async () => {
    const answer = await onQueue('SendMessage', { MessageBody: '{}', DelaySeconds: 901 });
    expect(answer.__type).toContain('InvalidParameterValue');
    expect(answer.message).toContain('900');
  });
});

describe('events', () => {
  const entry = (DetailType: string, Detail = '{}') => ({
    EventBusName: output('BusName'),
    Source: 'test',
    DetailType,
    Detail,
  });
  const put = (...Entries: readonly object[]) => aws('AWSEvents', 'PutEvents', { Entries });

  test('reach the queue of a rule with a matching pattern, with their group', async () => {
    const detail = JSON.stringify({ id: 'event', group: 'org-1' });
    const { Entries } = await put(entry('unwanted', detail), entry('wanted', detail));
    const seen = await eventually(() => item('seen-event'));
    expect(seen).toMatchObject({ seen: { N: '1' }, group_id: { S: 'org-1' } });
    expect(JSON.parse(seen.body_text.S)).toMatchObject({
      id: Entries[1].EventId,
      source: 'test',
      account: '000000000000',
      detail: { group: 'org-1' },
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
  });

  test('of one call are accepted or refused separately', async () => {
    const wrong = [{ Detail: 'not json' }, { Source: '' }, { EventBusName: 'none' }, { Time: 1e20 }];
    const answer = await put(...wrong.map((more) => ({ ...entry('wanted'), ...more })), entry('x'));
    expect([answer.FailedEntryCount, ...answer.Entries.map((one: { ErrorCode?: string }) => one.ErrorCode)]).toEqual([
      4,
      'MalformedDetail',
      'InvalidArgument',
      'ResourceNotFoundException',
      'InvalidArgument',
      undefined,
    ]);
  });

  test.each([
    ['larger than a message with the keys of its JSON', 'x'.repeat(1_048_500)],
    ['as large as an entry may be', 'x'.repeat(1_048_576 - '{"pad":""}testwanted'.length)],
    ['with a character that no queue takes', '\ufffe'],
  ])('are refused, not lost, when they are %s', async (_, pad) => {
    const answer = await put(entry('wanted', JSON.stringify({ pad })));
    expect([answer.FailedEntryCount, answer.Entries[0].ErrorCode]).toEqual([1, 'InvalidArgument']);
    expect(answer.Entries[0].ErrorMessage).toMatch(/^No queue takes the event\. /);
  });

  test('do not reach a queue whose policy does not allow the rule', async () => {
    await put(entry('stray'));
    const denial = {
      caller: 'events.amazonaws.com',
      action: 'sqs:SendMessage',
      resource: expect.stringContaining('Closed'),
    };
    expect(cloud.denials).toContainEqual(expect.objectContaining(denial));
  });
});

test('STS tells the operator who it is', async () => {
  const { gatewayUrl: endpoint, region, credentials } = cloud;
  expect(await callerArn({ endpoint, region, credentials })).toBe('arn:aws:iam::000000000000:user/operator');
});

test('a schedule invokes its function only when it is due', async () => {
  const log = join(cloud.logsFolder, `${functionId('Echo')}.log`);
  const fired = () => (existsSync(log) ? readFileSync(log, 'utf8').split('Scheduled Event').length - 1 : 0);
  for (const days of [6, 8, 9]) cloud.fireSchedules(Date.now() + days * 24 * 60 * 60 * 1000);
  await until(() => fired() > 0);
  expect(fired()).toBe(1);
});

describe('the other services', () => {
  test('move the current stage only from the version that has it', async () => {
    const { SecretString, VersionId: before } = await onSecret('GetSecretValue');
    const proposed = { SecretString: 'proposed', VersionStages: ['AWSPENDING'] };
    const { VersionId: MoveToVersionId } = await onSecret('PutSecretValue', proposed);
    expect((await onSecret('GetSecretValue')).SecretString).toBe(SecretString);
    const move = (RemoveFromVersionId: string) =>
      onSecret('UpdateSecretVersionStage', { VersionStage: 'AWSCURRENT', MoveToVersionId, RemoveFromVersionId });
    expect((await move('another-version-with-32-characters')).message).toContain('is attached to the version');
    await move(before);
    expect((await onSecret('GetSecretValue')).SecretString).toBe('proposed');
    const back = { MoveToVersionId: before, RemoveFromVersionId: MoveToVersionId };
    await onSecret('UpdateSecretVersionStage', { VersionStage: 'AWSCURRENT', ...back });
  });

  test('invoke a function and wait for its result', async () => {
    const lambda = new LambdaClient({
      endpoint: cloud.gatewayUrl,
      region: cloud.region,
      credentials: cloud.credentials,
    });
    const invoke = async (FunctionName: string, Payload: string) => {
      const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
      return [answer.FunctionError, JSON.parse(Buffer.from(answer.Payload ?? []).toString())];
    };
    const name = cloud.functions.find(({ logicalId }) => logicalId === functionId('Echo'))?.name ?? '';
    expect(await invoke(name, '{"answer":[1,2]}')).toEqual([undefined, [1, 2]]);
    const thrown = { errorType: 'TypeError', errorMessage: 'as always' };
    expect(await invoke(functionId('Troubled'), '{}')).toMatchObject(['Unhandled', thrown]);
    const tooLarge = { errorType: 'Function.ResponseSizeTooLarge' };
    expect(await invoke(name, LARGE_ANSWER)).toMatchObject(['Unhandled', tooLarge]);
    await expect(invoke('unknown', '{}')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('refuse an unknown call, and report it', async () => {
    expect((await onSecret('DeleteSecret')).message).toContain('does not know secretsmanager DeleteSecret');
    expect(cloud.messages.join('\n')).toContain('DeleteSecret');
  });

  test('start functions with the environment of Lambda, and no variable of this process', async () => {
    const { environment, functionName, remaining } = JSON.parse((await cloud.invoke(functionId('Echo'), {})).payload);
    expect(environment).toEqual(expect.arrayContaining(['TABLE', 'QUEUE_URL', 'AWS_REGION', 'AWS_ENDPOINT_URL']));
    expect(environment).not.toContain('PATH');
    expect(environment).not.toContain('HOME');
    expect(functionName).toMatch(/^Fixture-Echo/);
    expect(remaining).toBeGreaterThan(4000);
  });
});

describe('HTTP', () => {
  test('routes to functions with an event in payload format 2.0', async () => {
    const response = await fetch(`${cloud.apiUrl}/api/echo/a%20b?x=1&x=2&constructor=%26`, {
      method: 'PATCH',
      headers: { 'X-Mixed-Case': 'v', constructor: 'c', 'content-type': 'application/json', cookie: 'a=1; b=2' },
      body: '{"k":"ü"}',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    const { event } = JSON.parse(await response.text());
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'ANY /api/echo/{id}',
      rawPath: '/api/echo/a b',
      rawQueryString: 'x=1&x=2&constructor=%26',
      queryStringParameters: { x: '1,2', constructor: '&' },
      pathParameters: { id: 'a b' },
      cookies: ['a=1', 'b=2'],
      headers: { 'x-mixed-case': 'v', constructor: 'c', host: cloud.apiUrl.slice(7) },
      requestContext: { stage: '$default', http: { method: 'PATCH', sourceIp: '127.0.0.1', path: '/api/echo/a b' } },
      body: '{"k":"ü"}',
      isBase64Encoded: false,
    });
    expect(event.headers.cookie).toBeUndefined();
  });

  test('passes a binary body in base64, here to the default route', async () => {
    const headers = { 'content-type': 'image/png' };
    const binary = { method: 'PUT', body: new Uint8Array([255, 0]), headers };
    const { event } = JSON.parse(await (await fetch(`${cloud.apiUrl}/anything`, binary)).text());
    expect(event).toMatchObject({ routeKey: '$default', body: '/wA=', isBase64Encoded: true });
  });

  test('answers 500 when a function fails or its response is above 6 MB, 413 to a large body and 431 to large headers', async () => {
    const answer = await fetch(`${cloud.apiUrl}/x`, { method: 'POST', body: LARGE_ANSWER });
    expect([answer.status, await answer.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    const trouble = await fetch(`${cloud.apiUrl}/api/trouble`, { method: 'POST' });
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
      vary: 'Origin',
      'x-custom': 'yes',
      'x-content-type-options': 'nosniff',
    });
    const json = await fetch(`${cloud.baseUrl}/static/hello.json`);
    expect([json.headers.get('access-control-allow-origin'), json.headers.get('vary')]).toEqual([null, 'Origin']);
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

  test('answers the preflight of a page that adds headers', async () => {
    const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-trace' };
    const answer = await fetch(`${cloud.baseUrl}/static/hello.js`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', ...asked },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toBe('x-trace');
  });

  test('forwards to the API only what its policy allows, with its own header and the address of the viewer', async () => {
    // The viewer uses another loopback address than the distribution.
    const headers = {
      'X-Kept': 'yes',
      'X-Dropped': 'no',
      cookie: 'a=1',
      'CloudFront-Viewer-Address': '6.6.6.6:1',
      'x-origin-key': 'guess',
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(`${cloud.baseUrl}/api/echo/1?kept=1&dropped=2`);
      request(url, { method: 'POST', localAddress: '127.0.0.9', headers }, resolve).on('error', reject).end();
    });
    const { event } = JSON.parse(await text(response));
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

describe('tables', () => {
  test('a batch of statements makes each one that can be made, and says which one was not', async () => {
    const Statement = `INSERT INTO "${output('Table')}" VALUE {'pk': ?}`;
    const run = async (...pks: string[]) => {
      const Statements = pks.map((pk) => ({ Statement, Parameters: [{ S: pk }] }));
      const { __type, Responses = [__type] } = await dynamo('BatchExecuteStatement', { Statements });
      return Responses.map((one: { Error?: { Code: string } } | string) =>
        typeof one === 'string' ? one : one.Error?.Code,
      );
    };
    expect(await run('statement-1', 'statement-2')).toEqual([undefined, undefined]);
    expect(await run('statement-3', 'statement-1', 'statement-4')).toEqual([undefined, 'DuplicateItem', undefined]);
    for (const number of [1, 2, 3, 4]) expect(await item(`statement-${number}`)).toBeDefined();
    expect(await run('statement-5', 'statement-5')).toEqual([expect.stringContaining('ValidationException')]);
    expect(await item('statement-5')).toBeUndefined();
  });

  test('lose their expired items in steps, each of which goes on where the one before ended', async () => {
    // Later than the clock of the machine, which sweeps by itself meanwhile.
    const NOW_S = 4_000_000_000;
    const put = (pk: string, expires: number) => ({
      PutRequest: { Item: { pk: { S: pk }, expires_at: { N: String(expires) } } },
    });
    const write = (...all: readonly object[]) => dynamo('BatchWriteItem', { RequestItems: { [output('Table')]: all } });
    const left = async (): Promise<number> => {
      const condition = { FilterExpression: 'attribute_exists(expires_at)', Select: 'COUNT' };
      return (await dynamo('Scan', { TableName: output('Table'), ...condition })).Count;
    };
    const items = Array.from({ length: 400 }, (_, number) => put(`item-${number}`, NOW_S - 1));
    while (items.length > 0) await write(...items.splice(0, 25));
    await write(put('alive', NOW_S + 1));
    await cloud.sweep(NOW_S * 1000);
    expect(await left()).toBeLessThan(401);
    expect(await left()).toBeGreaterThan(100);
    const swept = async () => {
      await cloud.sweep(NOW_S * 1000);
      return (await left()) === 1;
    };
    await until(swept);
    // The next step starts again at the beginning.
    await write(put('later', NOW_S - 1));
    await until(swept);
  });
});

test('refuses broken tables and an invalid certificate authority with one message', async () => {
  const broken = join(folder, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'dynamodb.db'), 'nonsense that is long enough to be taken for something');
  const start = startLocalCloud({ data: broken, assembly });
  await expect(start).rejects.toThrow(CloudError);
  await expect(start).rejects.toThrow(/cannot be read.*--data/);
  const authorities = [join(assembly, 'manifest.json')];
  const other = { data: join(folder, 'authority'), assembly };
  await expect(startLocalCloud({ ...other, authorities })).rejects.toThrow('is not a PEM file with a certificate');
});

test('keeps items, messages and secrets across a restart, and refuses calls of a removed statement', async () => {
  const { SecretString } = await onSecret('GetSecretValue');
  await dynamo('PutItem', { TableName: output('Table'), Item: { pk: { S: 'kept' } } });
  await onQueue('SendMessage', { MessageBody: '{"id":"kept-message"}', DelaySeconds: 1 });
  expect(await call('send')).toEqual({ error: null });
  const statement = cloud.statements.find(({ statement: { Action } }) => Action?.includes('sqs:SendMessage'));
  await cloud.stop();
  if (statement === undefined) throw new Error('The fixture has no such statement');
  cloud = await startLocalCloud({ data, assembly: assemblyWithout(assembly, statement) });
  expect(await item('kept')).toBeDefined();
  expect((await onSecret('GetSecretValue')).SecretString).toBe(SecretString);
  expect(await eventually(() => item('seen-kept-message'))).toBeDefined();
  expect(await call('send')).toMatchObject({ error: 'AccessDeniedException' });
  expect(cloud.denials.at(-1)).toMatchObject({ action: 'sqs:SendMessage' });
});
