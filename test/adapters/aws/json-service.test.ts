import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsAccess, Credentials } from '../../../src/adapters/aws/access.ts';
import { type JsonApi, type JsonServiceOptions, jsonService } from '../../../src/adapters/aws/json-service.ts';

const API: JsonApi = { name: 'dynamodb', target: 'Test_2026', jsonVersion: '1.0', endpointVariable: 'TEST' };
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const NOW = new Date('2026-03-04T05:06:07.890Z');

type Received = { readonly headers: IncomingMessage['headers']; readonly body: string; readonly url: string };
type Reply = (response: ServerResponse) => void;

const NOTHING: Received = { headers: {}, body: '', url: '' };

let server: Server;
let received: Received[] = [];
let replies: Reply[] = [];
const connections = new Set<unknown>();
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      connections.add(request.socket);
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), url: request.url ?? '' });
      (replies.shift() ?? says(200, '{}'))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
  replies = [];
  connections.clear();
});

const says =
  (status: number, body: string): Reply =>
  (response) =>
    response.writeHead(status).end(body);
const fails = (status: number, name: string) =>
  says(status, JSON.stringify({ __type: `com.amazon#${name}`, message: 'no' }));
const hangsUp: Reply = (response) => response.destroy();

const endpoint = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const pauses: number[] = [];
function service(access: Partial<AwsAccess> = {}, options: Partial<JsonServiceOptions> = {}, api = API) {
  pauses.length = 0;
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  const whole = { endpoint: endpoint(), region: 'eu-central-1', credentials: CREDENTIALS, ...access };
  return jsonService<{ Do: { input: object; output: object } }>(api, whole, {
    timeoutMs: 5000,
    now: () => NOW,
    pause,
    random: () => 0.5,
    ...options,
  });
}

describe('a request', () => {
  test('names the operation, and has the input for its body', async () => {
    expect(await service()('Do', { text: 'Zoë 🙂' })).toEqual({});
    expect(received).toEqual([
      {
        url: '/',
        body: '{"text":"Zoë 🙂"}',
        headers: expect.objectContaining({
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'Test_2026.Do',
          'x-amz-date': '20260304T050607Z',
        }),
      },
    ]);
  });

  test('is signed with Signature Version 4 over its headers and its body', async () => {
    await service()('Do', { a: 1 });
    const host = endpoint().slice('http://'.length);
    expect(received[0]?.headers.authorization).toBe(byHand({ host, body: '{"a":1}' }));
  });

  test.each<[string, AwsAccess['credentials']]>([
    ['lasting credentials', CREDENTIALS],
    ['temporary ones', { ...CREDENTIALS, sessionToken: 'a/session+token==' }],
    ['whatever a provider tells', async () => ({ ...CREDENTIALS, sessionToken: 'told' })],
  ])("has the signature that AWS's own signer makes, with %s", async (_, credentials) => {
    await service({ ...(credentials && { credentials }) })('Do', { name: 'é', list: [1, null] });
    const { headers, body } = received[0] ?? NOTHING;
    const { authorization, host } = headers;
    const used: Credentials = typeof credentials === 'function' ? await credentials() : (credentials ?? CREDENTIALS);
    expect(headers['x-amz-security-token']).toBe(used.sessionToken);
    const signer = new SignatureV4({
      service: 'dynamodb',
      region: 'eu-central-1',
      credentials: used,
      sha256: Sha256,
      applyChecksum: false,
    });
    const names = /SignedHeaders=([^,]*)/.exec(authorization ?? '')?.[1]?.split(';') ?? [];
    const request = await signer.sign(
      {
        method: 'POST',
        protocol: 'http:',
        hostname: '127.0.0.1',
        path: '/',
        headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
        body,
      },
      { signingDate: NOW },
    );
    expect(host).toBe(endpoint().slice('http://'.length));
    expect(names).toEqual(expect.arrayContaining(['content-type', 'host', 'x-amz-date', 'x-amz-target']));
    expect(signature(authorization)).toBe(signature(request.headers.authorization));
  });

  test('goes over a kept connection once there is one', async () => {
    const call = service();
    for (let i = 0; i < 5; i++) await call('Do', {});
    expect(connections.size).toBe(1);
  });
});

describe('the address', () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  test.each([
    ['the one of the access', { TEST: 'http://127.0.0.1:1', ALL: 'http://127.0.0.1:1' }, true],
    ['the one that the environment has for the service', { TEST: 'here', ALL: 'http://127.0.0.1:1' }, false],
    ['the one that the environment has for all', { ALL: 'here' }, false],
  ])('is %s', async (_, variables: { TEST?: string; ALL?: string }, byAccess) => {
    const { TEST, ALL } = variables;
    if (TEST !== undefined) process.env.AWS_ENDPOINT_URL_TEST = TEST === 'here' ? endpoint() : TEST;
    if (ALL !== undefined) process.env.AWS_ENDPOINT_URL = ALL === 'here' ? endpoint() : ALL;
    const access = { region: 'eu-central-1', credentials: CREDENTIALS, ...(byAccess ? { endpoint: endpoint() } : {}) };
    const call = jsonService<{ Do: { input: object; output: object } }>(API, access, { timeoutMs: 5000 });
    await call('Do', {});
    expect(received).toHaveLength(1);
  });

  test("and the credentials are a function's own where the access names none", async () => {
    Object.assign(process.env, {
      AWS_REGION: 'ap-south-1',
      AWS_ACCESS_KEY_ID: 'AKIDENV',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
    });
    await jsonService<{ Do: { input: object; output: object } }>(
      API,
      { endpoint: endpoint() },
      { timeoutMs: 5000 },
    )('Do', {});
    expect(received[0]?.headers.authorization).toMatch(/Credential=AKIDENV\/\d{8}\/ap-south-1\/dynamodb\/aws4_request/);
    expect(received[0]?.headers['x-amz-security-token']).toBe('session');
  });

  test.each([
    ['a region', 'AWS_REGION', 'Region is missing'],
    ['credentials', 'AWS_SECRET_ACCESS_KEY', 'The environment holds no AWS credentials'],
  ])('without %s there is no call', async (_, variable, message) => {
    Object.assign(process.env, { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
    delete process.env[variable];
    const call = jsonService<{ Do: { input: object; output: object } }>(
      API,
      { endpoint: endpoint() },
      { timeoutMs: 50 },
    );
    await expect(call('Do', {})).rejects.toThrow(message);
    expect(received).toEqual([]);
  });
});

describe('is tried three times, with longer pauses,', () => {
  test.each<[string, Reply]>([
    ['a service that is at fault', fails(500, 'InternalServerError')],
    ['a service that is away', says(503, '<html>')],
    ['a service that asks for less', fails(400, 'ThrottlingException')],
    ['a table that asks for less', fails(400, 'ProvisionedThroughputExceededException')],
    ['a status that asks for less', says(429, '')],
    ['a transaction under way', fails(400, 'TransactionInProgressException')],
    ['a connection that breaks', hangsUp],
    [
      'an answer that breaks off',
      (response) => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
    ],
  ])('%s', async (_, reply) => {
    replies = [reply, reply, says(200, '{"done":true}')];
    expect(await service()('Do', {})).toEqual({ done: true });
    expect(received).toHaveLength(3);
    expect(pauses).toEqual([50, 100]);
    replies = [reply, reply, reply, reply];
    await expect(service()('Do', {})).rejects.toThrow();
    expect(replies).toHaveLength(1);
  });

  test('a service that does not answer in time, and the call then says so', async () => {
    const silent: Reply = () => undefined;
    replies = [silent, (response) => response.writeHead(200).write('{"done"'), says(200, '{}')];
    expect(await service({}, { timeoutMs: 40 })('Do', {})).toEqual({});
    replies = [silent, silent, silent];
    await expect(service({}, { timeoutMs: 40 })('Do', {})).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'No answer within 40 ms',
    });
  });

  test('nobody at the address, and the call says what Node said', async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await expect(service({ endpoint: `http://127.0.0.1:${port}` })('Do', {})).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect(pauses).toEqual([50, 100]);
  });

  test('with the patience of the access where that has its own', async () => {
    replies = [() => undefined, () => undefined, () => undefined];
    const requestHandler = { connectionTimeout: 30, requestTimeout: 30, throwOnRequestTimeout: true };
    await expect(service({ requestHandler })('Do', {})).rejects.toThrow('No answer within 30 ms');
  });
});

describe('an answer', () => {
  test.each<[string, number, string, object]>([
    ['a refusal', 400, '{"__type":"com.amazonaws.x#NotGood","message":"why"}', { name: 'NotGood', message: 'why' }],
    ['one with another spelling', 400, '{"__type":"NotGood","Message":"why"}', { name: 'NotGood', message: 'why' }],
    ['one without a name', 403, '{}', { name: 'UnknownError', message: 'HTTP 403' }],
    ['one that is no JSON', 404, '<html>', { name: 'UnknownError', message: 'HTTP 404' }],
    ['one that is no object', 400, '"no"', { name: 'UnknownError', message: 'HTTP 400' }],
    ['one of odd types', 400, '{"__type":7,"message":null}', { name: 'UnknownError', message: 'HTTP 400' }],
    ['a redirect, which is not followed', 302, '', { name: 'UnknownError', message: 'HTTP 302' }],
    ['a success that is no JSON', 200, 'ok', { name: 'UnknownError', message: 'HTTP 200' }],
  ])('that is %s is told by its name, and not tried again', async (_, status, body, error) => {
    replies = [says(status, body)];
    await expect(service()('Do', {})).rejects.toMatchObject({ ...error, status });
    expect(received).toHaveLength(1);
  });

  test('of nothing is an empty one', async () => {
    replies = [says(200, '')];
    expect(await service()('Do', {})).toEqual({});
  });

  test('in pieces is put together, also in the middle of a character', async () => {
    const bytes = Buffer.from('{"name":"Zoë 🙂"}');
    replies = [
      (response) => {
        response.writeHead(200);
        for (const byte of bytes) response.write(Buffer.of(byte));
        response.end();
      },
    ];
    expect(await service()('Do', {})).toEqual({ name: 'Zoë 🙂' });
  });

  test('that refuses keeps what else it says to whoever asks, and out of what is logged', async () => {
    replies = [says(400, '{"__type":"x#Refused","message":"m","Item":{"pk":{"S":"stored-and-private"}}}')];
    const error = await service()('Do', { secret: 'sent-and-private' }).catch((refused) => refused);
    expect(error.details).toEqual({ Item: { pk: { S: 'stored-and-private' } } });
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain('private');
    expect(inspect(error)).not.toContain(CREDENTIALS.secretAccessKey);
  });
});

const signature = (authorization = '') => /Signature=([0-9a-f]{64})$/.exec(authorization)?.[1] ?? 'none';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Signature Version 4 written out for the one request of the test, as the AWS General Reference has it. */
function byHand({ host, body }: { readonly host: string; readonly body: string }): string {
  const headers = [
    'content-type:application/x-amz-json-1.0',
    `host:${host}`,
    'x-amz-date:20260304T050607Z',
    'x-amz-target:Test_2026.Do',
  ];
  const names = headers.map((header) => header.split(':')[0]).join(';');
  const canonical = ['POST', '/', '', ...headers, '', names, hash(body)].join('\n');
  const scope = '20260304/eu-central-1/dynamodb/aws4_request';
  const day = mac(`AWS4${CREDENTIALS.secretAccessKey}`, '20260304');
  const key = mac(mac(mac(day, 'eu-central-1'), 'dynamodb'), 'aws4_request');
  const made = mac(key, ['AWS4-HMAC-SHA256', '20260304T050607Z', scope, hash(canonical)].join('\n')).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${CREDENTIALS.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${made}`;
}

/** What AWS's signer wants for hashing. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytes(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytes(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error('Nobody calls this');
  }
}

function bytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
