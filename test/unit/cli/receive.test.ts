import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { receiverCertificate } from '../../../local/certificates.ts';
import { freePort } from '../../../local/cloud/listener.ts';
import { readRawBody, verifyAction, verifyUsageWebhook } from '../../../packages/receiver/src/index.ts';
import { signatureHeader } from '../../../src/domain/delivery/signature.ts';
import { startServer } from '../../harness/server.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { FakeOperator } from './operator.ts';

const { certificateFile, keyFile, certificate, key } = receiverCertificate(temporaryFolder());

const USAGE_SECRET = 'the secret that session create received';
const NOW = Math.floor(Date.now() / 1000);
const LONG_AGO = 1_700_000_000;

type Sent = { readonly path?: string; readonly secret?: string; readonly t?: number };
type Answered = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly ms: number;
};

/** Creates an operator who runs `receive`, and functions that send requests to it. */
async function receivingOperator() {
  const operator = new FakeOperator();
  const port = await freePort();
  const { action_id, site_id, org_id } = await operator.action();
  await operator.json('action', 'update', action_id, '--url', `https://localhost:${port}/crm?v=1`);
  operator.files = { [certificateFile]: certificate, [keyFile]: key };
  operator.deployment = { ...operator.deployment, receiverTls: { certificate: certificateFile, key: keyFile } };
  const { signing_secret } = await operator.json<{ signing_secret: string }>('action', 'secret', action_id);

  const answers: Answered[] = [];
  const post = async (path: string, body: Buffer, headers: Readonly<Record<string, string>>) => {
    const began = performance.now();
    const options = { host: 'localhost', port, path, method: 'POST', ca: certificate, headers, agent: false };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(options, resolve).on('error', reject).end(body);
    });
    const { statusCode: status = 0, headers: answered } = response;
    answers.push({ status, headers: answered, body: await text(response), ms: performance.now() - began });
  };
  const send = (id: string, { path = '/crm?v=1', secret = signing_secret, t = NOW }: Sent = {}) => {
    const envelope = { id, event: 'conversation.started', timestamp: 't', data: { n: 'a\u001bb' }, site_id, org_id };
    const body = Buffer.from(JSON.stringify(envelope));
    return post(path, body, {
      'X-Service-Signature': signatureHeader(secret, t, body),
      'X-Service-Trigger': 'event',
      'X-Service-Trigger-Ref': 'conversation.started',
    });
  };
  const reportUsage = (nonce: string, { secret = USAGE_SECRET, t = NOW }: Sent = {}) => {
    const usage = { input_tokens: 120, output_tokens: 48, total_tokens: 168, tts_chars: 0, tts_provider: null };
    const report = { nonce, timestamp: t, site_id, session_id: 'session-1', user_id: 'u-\u001b42', usage };
    const body = Buffer.from(JSON.stringify(report));
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return post('/usage', body, { 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': String(t) });
  };
  /** Runs the command while `sending` runs. @returns also its lines about requests */
  const receive = async (sending: () => Promise<void>, ...words: string[]) => {
    operator.whileWaiting = async () => {
      await sending();
      return false;
    };
    const ended = await operator.run('receive', '--local', '--port', String(port), ...words);
    return { ...ended, lines: ended.out.split('\n').filter((line) => /^[\d{]/.test(line)) };
  };
  const statuses = () => answers.map(({ status }) => status);
  return { operator, port, action_id, send, reportUsage, receive, answers, statuses };
}

test('prints verified requests with their Action, and the reason for others', async () => {
  const { action_id, port, send, receive, statuses } = await receivingOperator();
  const { code, out, err, lines } = await receive(async () => {
    await send('event-1');
    await send('event-1');
    await send('event-2', { secret: 'whsec_another' });
    await send('event-3', { t: LONG_AGO });
    await send('event-4', { path: '/crm' });
    await send('x'.repeat(1024 * 1024));
  });
  expect([code, err]).toEqual([0, `Receiving at https://localhost:${port}/ with any path. Press Ctrl-C to stop\n`]);
  expect(statuses()).toEqual([200, 200, 401, 400, 404, 413]);
  const verified = `verified: event conversation.started, of Tell the CRM (${action_id}); answered 200`;
  expect(lines[0]).toContain(`POST /crm?v=1 ${verified}`);
  expect(lines[1]).toContain('arrival 2 of event-1; answered 200');
  expect(lines[2]).toContain('NOT VERIFIED: The signature does not match the body; answered 401');
  expect(lines[3]).toContain('answered 400');
  expect(lines[4]).toContain('NOT VERIFIED: No Action has this address; answered 404');
  expect(out).toContain('"id":"event-1"');
  expect(out).not.toContain('\u001b');
  expect(out).not.toMatch(/whsec|v1=/);
});

test('sends the chosen answer, and 200 after --times', async () => {
  const { send, receive, answers, statuses } = await receivingOperator();
  const sending = async () => {
    await send('event-0', { secret: 'whsec_another' });
    for (const id of ['event-1', 'event-2', 'event-3']) await send(id);
  };
  const words = ['--status', '503', '--times', '2', '--delay', '1s', '--body', '{ "order": 7 }'];
  const { lines } = await receive(sending, ...words, '--json');
  expect(statuses()).toEqual([401, 503, 503, 200]);
  expect(answers.slice(1).map(({ body }) => body)).toEqual(Array(3).fill('{"order":7}'));
  expect(answers[1]?.ms).toBeGreaterThanOrEqual(990);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { verified: false, answered: 401, deduplication_key: null },
    { verified: true, answered: 503, deduplication_key: 'event-1' },
    { verified: true, answered: 503, deduplication_key: 'event-2' },
    { verified: true, answered: 200, deduplication_key: 'event-3' },
  ]);
});

test('verifies usage webhooks at any path with the secrets of the options', async () => {
  const { operator, send, reportUsage, receive, answers, statuses } = await receivingOperator();
  operator.files = { ...operator.files, 'usage.txt': `${USAGE_SECRET}\n` };
  const sending = async () => {
    await reportUsage('nonce-1');
    await reportUsage('nonce-1');
    await reportUsage('nonce-2', { secret: 'of another user' });
    await reportUsage('nonce-3', { secret: 'an unknown secret' });
    await reportUsage('nonce-4', { t: LONG_AGO });
    await send('event-1');
  };
  const secrets = ['--usage-secret', 'of another user', '--usage-secret', '@usage.txt'];
  const { out, lines } = await receive(sending, ...secrets, '--body', '{"should_continue": false}');
  expect(statuses()).toEqual([200, 200, 200, 401, 400, 200]);
  expect(answers[0]?.body).toBe('{"should_continue":false}');
  expect(lines[0]).toMatch(/POST \/usage verified: usage of u-.*42, session session-1; answered 200$/);
  expect(lines[1]).toContain('arrival 2 of nonce-1; answered 200');
  expect(lines[3]).toContain('NOT VERIFIED: The signature does not match the body; answered 401');
  expect(lines[5]).toContain('verified: event conversation.started');
  expect(out).not.toContain('\u001b');
  expect(out).not.toContain(USAGE_SECRET);
});

test('distinguishes a usage webhook without a secret from a wrong address', async () => {
  const { reportUsage, receive } = await receivingOperator();
  const { out } = await receive(() => reportUsage('nonce-1'), '--json');
  const problem = 'This is a usage webhook: name its secret with --usage-secret';
  expect(JSON.parse(out)).toMatchObject({ verified: false, problem, answered: 404 });
});

test('answers 503 and says so while the service does not answer', async () => {
  const { operator, send, receive, statuses } = await receivingOperator();
  const { store } = operator.deployment;
  const { listOrganizations } = store;
  const away = () => {
    throw new Error('away');
  };
  const { err } = await receive(async () => {
    Object.assign(store, { listOrganizations: away });
    await send('event-1');
    Object.assign(store, { listOrganizations });
    await send('event-1');
  });
  expect(statuses()).toEqual([503, 200]);
  expect(err).toContain('Answered 503, because the service does not answer: away');
});

describe('--forward', () => {
  const stops: (() => void)[] = [];
  afterAll(() => {
    for (const stop of stops) stop();
  });

  /** The developer's own server, without TLS, which verifies with the package. */
  const developersServer = async (secret: string, usageSecret = USAGE_SECRET) => {
    const requests: {
      readonly url: string;
      readonly method: string;
      readonly headers: NodeJS.Dict<string | string[]>;
    }[] = [];
    const { origin, stop } = await startServer(async (incoming, outgoing) => {
      const { url = '', method = '', headers } = incoming;
      requests.push({ url, method, headers });
      const rawBody = await readRawBody(incoming);
      try {
        if (headers['x-webhook-signature'] === undefined) verifyAction(rawBody, headers, { trigger: 'event', secret });
        else verifyUsageWebhook(rawBody, headers, { secret: usageSecret });
        outgoing
          .writeHead(202, { 'content-type': 'text/plain; charset=iso-8859-1' })
          .end(Buffer.from('Zürich', 'latin1'));
      } catch {
        outgoing.writeHead(401).end('not genuine\n');
      }
    });
    stops.push(stop);
    return { origin, requests, stop };
  };

  test('passes the bytes and headers on, and shows the answer of the server', async () => {
    const { operator, action_id, send, reportUsage, receive, answers } = await receivingOperator();
    const { signing_secret } = await operator.json<{ signing_secret: string }>('action', 'secret', action_id);
    const { origin, requests } = await developersServer(signing_secret);
    const { lines, out, err } = await receive(
      async () => {
        await send('event-1');
        await send('event-2', { secret: 'whsec_another' });
        // The secret of usage webhooks is the developer's own.
        await reportUsage('nonce-1');
      },
      '--forward',
      `${origin}/hooks?a=1`,
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 401, 202]);
    expect(requests.map(({ url, method }) => `${method} ${url}`)).toEqual(Array(3).fill('POST /hooks?a=1'));
    expect(requests[0]?.headers).toMatchObject({
      host: new URL(origin).host,
      'x-service-trigger': 'event',
      'x-service-trigger-ref': 'conversation.started',
    });
    expect(err).toContain(`forwarding to ${origin}/hooks?a=1`);
    expect(lines[0]).toMatch(/verified: event conversation.started.*answered 202$/);
    expect(lines[1]).toMatch(/NOT VERIFIED: The signature does not match the body; answered 401$/);
    expect(lines[2]).toMatch(/NOT VERIFIED: This is a usage webhook.*answered 202$/);
    expect(out).toContain('  answer: not genuine\n');
  });

  test.each<[number, Record<string, string | string[]>]>([
    [308, { location: '/actions/' }],
    [401, { 'www-authenticate': 'Bearer', 'set-cookie': ['a=1', 'b=2'] }],
    [200, { 'content-encoding': 'gzip', trailer: 'x' }],
    [204, {}],
  ])('passes the headers of an answer %i on', async (status, headers) => {
    const { send, receive, answers } = await receivingOperator();
    const { origin, stop } = await startServer((_request, response) => void response.writeHead(status, headers).end());
    stops.push(stop);
    await receive(() => send('event-1'), '--forward', origin);
    const { trailer, ...kept } = headers;
    expect(answers).toMatchObject([{ status, headers: kept }]);
    expect(answers[0]?.headers).not.toHaveProperty('trailer');
    expect(answers[0]?.headers).not.toHaveProperty('content-type');
  });

  test('answers 502 while nothing listens there, and takes no answer of its own beside', async () => {
    const { send, receive, statuses, operator } = await receivingOperator();
    const { origin, stop } = await developersServer('');
    stop();
    // On most machines this name has two addresses.
    const { lines } = await receive(
      () => send('event-1'),
      '--forward',
      origin.replace('127.0.0.1', 'localhost'),
      '--json',
    );
    expect(statuses()).toEqual([502]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      answered: 502,
      answer: expect.stringContaining('ECONNREFUSED'),
    });
    for (const words of [
      ['--forward', 'localhost:8000'],
      ['--forward', origin, '--status', '503'],
    ]) {
      expect(await operator.run('receive', '--local', ...words)).toMatchObject({ code: 2 });
    }
  });
});

test('needs the one-machine service, and a free port', async () => {
  const { code, err } = await new FakeOperator().run('receive');
  expect([code, err]).toEqual([2, expect.stringContaining('works only with --local')]);
  const { operator } = await receivingOperator();
  const { port, stop } = await startServer(() => {});
  const taken = `Port ${port} is in use. Stop the program that listens on it, or choose another port with --port\n`;
  expect(await operator.run('receive', '--local', '--port', String(port))).toMatchObject({ code: 2, err: taken });
  stop();
});

test.each([
  ['--status', '199'],
  ['--status', 'ok'],
  ['--times', '0'],
  ['--delay', '6'],
  ['--port', '65536'],
  ['--body', '{'],
  ['--usage-secret', ''],
  ['--usage-secret', '@missing.txt'],
])('refuses %s %s', async (...words) => {
  const { operator } = await receivingOperator();
  const { code, err } = await operator.run('receive', '--local', ...words);
  expect([code, err]).toEqual([2, expect.not.stringContaining('needs --local')]);
});

test.each(['61m', '25d', '999999d'])('refuses to wait %s before an answer', async (delay) => {
  const { receive } = await receivingOperator();
  const { code, err } = await receive(async () => {}, '--delay', delay);
  expect([code, err]).toEqual([2, expect.stringContaining('It must be at most 1h')]);
});
