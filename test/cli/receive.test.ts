import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { receiverCertificate } from '../../local/certificates.ts';
import { listenNear } from '../../local/cloud/listener.ts';
import { signatureHeader } from '../../src/domain/delivery/action-request.ts';
import { FakeOperator } from './operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'va-wave-receive-'));
const { certificateFile, keyFile, certificate, key } = receiverCertificate(folder);
afterAll(() => rmSync(folder, { recursive: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenNear(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Answered = { readonly status: number; readonly body: string; readonly ms: number };

/** Creates an operator who runs `receive`, and functions that send requests to it. */
async function receivingOperator() {
  const operator = new FakeOperator();
  const port = await freePort();
  const { action_id, site_id, org_id } = await operator.action();
  await operator.json('action', 'update', action_id, '--url', `https://localhost:${port}/crm?v=1`);
  operator.files = { [certificateFile]: certificate, [keyFile]: key };
  operator.deployment = { ...operator.deployment, receiverTls: { certificate: certificateFile, key: keyFile } };
  const { signing_secret } = await operator.json<{ signing_secret: string }>('action', 'secret', action_id);
  const now = Math.floor(Date.now() / 1000);

  const post = (path: string, body: Buffer, headers: Readonly<Record<string, string>>) =>
    new Promise<Answered>((resolve, reject) => {
      const began = performance.now();
      const ca = readFileSync(certificateFile);
      request({ host: 'localhost', port, path, method: 'POST', ca, headers, agent: false }, async (response) => {
        const answer = await text(response);
        resolve({ status: response.statusCode ?? 0, body: answer, ms: performance.now() - began });
      })
        .on('error', reject)
        .end(body);
    });

  const send = (id: string, options: { path?: string; secret?: string; t?: number } = {}) => {
    const timestamp = new Date().toISOString();
    const envelope = { id, event: 'conversation.started', timestamp, data: { n: 'a\u001bb' }, site_id, org_id };
    const body = Buffer.from(JSON.stringify(envelope));
    return post(options.path ?? '/crm?v=1', body, {
      'X-Service-Signature': signatureHeader(options.secret ?? signing_secret, options.t ?? now, body),
      'X-Service-Trigger': 'event',
      'X-Service-Trigger-Ref': 'conversation.started',
    });
  };

  const reportUsage = (nonce: string, options: { secret?: string; t?: number } = {}) => {
    const t = options.t ?? now;
    const body = usageReport({ nonce, timestamp: t, site_id });
    return post('/usage', body, {
      'X-Webhook-Signature': createHmac('sha256', options.secret ?? USAGE_SECRET)
        .update(body)
        .digest('hex'),
      'X-Webhook-Timestamp': String(t),
    });
  };

  const receive = async (sending: () => Promise<void>, ...words: string[]) => {
    operator.whileWaiting = async () => {
      await sending();
      return false;
    };
    return operator.run('receive', '--local', '--port', String(port), ...words);
  };
  return { operator, port, action_id, send, reportUsage, receive };
}

const USAGE_SECRET = 'the secret that session create received';

function usageReport(of: { readonly nonce: string; readonly timestamp: number; readonly site_id: string }): Buffer {
  const usage = { input_tokens: 120, output_tokens: 48, total_tokens: 168, tts_chars: 0, tts_provider: null };
  return Buffer.from(JSON.stringify({ ...of, session_id: 'session-1', user_id: 'u-\u001b42', usage }));
}

test('prints verified requests with their Action, and the reason for others', async () => {
  const { action_id, port, send, receive } = await receivingOperator();
  const statuses: number[] = [];
  const { code, out, err } = await receive(async () => {
    statuses.push((await send('event-1')).status);
    statuses.push((await send('event-1')).status);
    statuses.push((await send('event-2', { secret: 'whsec_another' })).status);
    statuses.push((await send('event-3', { t: 1_700_000_000 })).status);
    statuses.push((await send('event-4', { path: '/crm' })).status);
  });
  expect([code, err]).toEqual([0, `Receiving at https://localhost:${port}/ with any path. Press Ctrl-C to stop\n`]);
  expect(statuses).toEqual([200, 200, 401, 400, 404]);
  const lines = out.split('\n').filter((line) => /^\d/.test(line));
  expect(lines[0]).toContain(
    `POST /crm?v=1 verified: event conversation.started, of Tell the CRM (${action_id}); answered 200`,
  );
  expect(lines[1]).toContain('arrival 2 of event-1; answered 200');
  expect(lines[2]).toContain('NOT VERIFIED: The signature does not match the body; answered 401');
  expect(lines[3]).toContain('answered 400');
  expect(lines[4]).toContain('NOT VERIFIED: No Action has this address; answered 404');
  expect(out).toContain('"id":"event-1"');
  expect(out).not.toContain('\u001b');
  expect(out).not.toMatch(/whsec|v1=/);
});

test('sends the chosen answer, and 200 after --times', async () => {
  const { send, receive } = await receivingOperator();
  const answers: Answered[] = [];
  const sending = async () => {
    answers.push(await send('event-0', { secret: 'whsec_another' }));
    for (const id of ['event-1', 'event-2', 'event-3']) answers.push(await send(id));
  };
  const words = ['--status', '503', '--times', '2', '--delay', '1s', '--body', '{ "order": 7 }'];
  const { out } = await receive(sending, ...words, '--json');
  expect(answers.map(({ status }) => status)).toEqual([401, 503, 503, 200]);
  expect(answers.slice(1).map(({ body }) => body)).toEqual(Array(3).fill('{"order":7}'));
  expect(answers[1]?.ms).toBeGreaterThanOrEqual(990);
  const received = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(received.map(({ verified, answered, deduplication_key }) => [verified, answered, deduplication_key])).toEqual([
    [false, 401, null],
    [true, 503, 'event-1'],
    [true, 503, 'event-2'],
    [true, 200, 'event-3'],
  ]);
});

test('verifies usage webhooks at any path with the secrets of the options', async () => {
  const { operator, send, reportUsage, receive } = await receivingOperator();
  operator.files = { ...operator.files, 'usage.txt': `${USAGE_SECRET}\n` };
  const answers: Answered[] = [];
  const sending = async () => {
    answers.push(await reportUsage('nonce-1'));
    answers.push(await reportUsage('nonce-1'));
    answers.push(await reportUsage('nonce-2', { secret: 'of another user' }));
    answers.push(await reportUsage('nonce-3', { secret: 'an unknown secret' }));
    answers.push(await reportUsage('nonce-4', { t: 1_700_000_000 }));
    answers.push(await send('event-1'));
  };
  const secrets = ['--usage-secret', 'of another user', '--usage-secret', '@usage.txt'];
  const { code, out } = await receive(sending, ...secrets, '--body', '{"should_continue": false}');
  expect(code).toBe(0);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 400, 200]);
  expect(answers[0]?.body).toBe('{"should_continue":false}');
  const lines = out.split('\n').filter((line) => /^\d/.test(line));
  expect(lines[0]).toMatch(/POST \/usage verified: usage of u-.*42, session session-1; answered 200$/);
  expect(lines[1]).toContain('arrival 2 of nonce-1; answered 200');
  expect(lines[3]).toContain('NOT VERIFIED: The signature does not match the body; answered 401');
  expect(lines[4]).toContain('answered 400');
  expect(lines[5]).toContain('verified: event conversation.started');
  expect(out).not.toContain('\u001b');
  expect(out).not.toContain(USAGE_SECRET);
});

test('distinguishes a usage webhook without a secret from a wrong address', async () => {
  const { reportUsage, receive } = await receivingOperator();
  const { out } = await receive(async () => {
    expect((await reportUsage('nonce-1')).status).toBe(404);
  }, '--json');
  expect(JSON.parse(out)).toMatchObject({
    verified: false,
    problem: 'This is a usage webhook: name its secret with --usage-secret',
    answered: 404,
  });
});

test('refuses a body that is larger than any event, and says nothing about the service', async () => {
  const { send, receive } = await receivingOperator();
  const statuses: number[] = [];
  const { err } = await receive(async () => {
    statuses.push((await send('x'.repeat(1024 * 1024))).status);
    statuses.push((await send('event-1')).status);
  });
  expect(statuses).toEqual([413, 200]);
  expect(err).not.toContain('503');
});

test('answers 503 and says so while the service does not answer', async () => {
  const { operator, send, receive } = await receivingOperator();
  const { store } = operator.deployment;
  const { listOrganizations } = store;
  const away = () => {
    throw new Error('away');
  };
  const statuses: number[] = [];
  const { err } = await receive(async () => {
    Object.assign(store, { listOrganizations: away });
    statuses.push((await send('event-1')).status);
    Object.assign(store, { listOrganizations });
    statuses.push((await send('event-1')).status);
  });
  expect(statuses).toEqual([503, 200]);
  expect(err).toContain('Answered 503, because the service does not answer: away');
});

test('reports a port that is in use', async () => {
  const { operator, port } = await receivingOperator();
  const other = createServer();
  await listenNear(other, port);
  expect(await operator.run('receive', '--local', '--port', String(port))).toMatchObject({
    code: 2,
    err: `Port ${port} is in use. Stop the program that listens on it, or choose another port with --port\n`,
  });
  other.close();
});

test('works only with the one-machine service', async () => {
  const { code, err } = await new FakeOperator().run('receive');
  expect([code, err]).toEqual([2, expect.stringContaining('needs --local, without npm start -- --strict')]);
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
