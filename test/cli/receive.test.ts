import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listen } from '../../local/demo/listen.ts';
import { receiverCertificates } from '../../local/receiver-certificates.ts';
import { signatureHeader } from '../../src/domain/delivery/signature.ts';
import { FakeOperator } from './operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'va-wave-receive-'));
const { caFile, certificateFile, keyFile, certificate, key } = receiverCertificates(folder);
afterAll(() => rmSync(folder, { recursive: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Answered = { readonly status: number; readonly body: string; readonly ms: number };

/** An operator who receives, and what is sent to the receiver meanwhile. */
async function world() {
  const operator = new FakeOperator();
  const port = await freePort();
  const { action_id, site_id, org_id } = await operator.action();
  await operator.json('action', 'update', action_id, '--url', `https://localhost:${port}/crm?v=1`);
  operator.files = { [certificateFile]: certificate, [keyFile]: key };
  operator.deployment = { ...operator.deployment, receiverTls: { certificate: certificateFile, key: keyFile } };
  const { signing_secret } = await operator.json<{ signing_secret: string }>('action', 'secret', action_id);
  const now = Math.floor(Date.now() / 1000);

  const send = (id: string, options: { path?: string; secret?: string; t?: number } = {}) =>
    new Promise<Answered>((resolve, reject) => {
      const timestamp = new Date().toISOString();
      const envelope = { id, event: 'conversation.started', timestamp, data: { n: 'a\u001bb' }, site_id, org_id };
      const body = Buffer.from(JSON.stringify(envelope));
      const began = performance.now();
      const headers = {
        'X-Service-Signature': signatureHeader(options.secret ?? signing_secret, options.t ?? now, body),
        'X-Service-Trigger': 'event',
        'X-Service-Trigger-Ref': 'conversation.started',
      };
      const ca = readFileSync(caFile);
      const path = options.path ?? '/crm?v=1';
      request({ host: 'localhost', port, path, method: 'POST', ca, headers, agent: false }, async (response) => {
        const answer = await text(response);
        resolve({ status: response.statusCode ?? 0, body: answer, ms: performance.now() - began });
      })
        .on('error', reject)
        .end(body);
    });

  const receive = async (sending: () => Promise<void>, ...words: string[]) => {
    operator.whileWaiting = async () => {
      await sending();
      return false;
    };
    return operator.run('receive', '--local', '--port', String(port), ...words);
  };
  return { operator, port, action_id, send, receive };
}

test('tells what it verified and of which Action, what it did not, and why', async () => {
  const { action_id, port, send, receive } = await world();
  const statuses: number[] = [];
  const { code, out, err } = await receive(async () => {
    statuses.push((await send('event-1')).status);
    statuses.push((await send('event-1')).status);
    statuses.push((await send('event-2', { secret: 'whsec_another' })).status);
    statuses.push((await send('event-3', { t: 1_700_000_000 })).status);
    statuses.push((await send('event-4', { path: '/crm' })).status);
  });
  expect([code, err]).toEqual([0, `Receiving at https://localhost:${port}/ and below; Ctrl-C ends it\n`]);
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

test('answers as told, and 200 after so many times', async () => {
  const { send, receive } = await world();
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

test('a port that is taken is told as such', async () => {
  const { operator, port } = await world();
  const other = createServer();
  await listen(other, port);
  expect(await operator.run('receive', '--local', '--port', String(port))).toMatchObject({
    code: 2,
    err: `Port ${port} is in use. Stop what listens there, or choose another with --port\n`,
  });
  other.close();
});

test('is for this machine only', async () => {
  const { operator } = await world();
  expect(await operator.run('receive')).toMatchObject({ code: 2, err: expect.stringContaining('needs --local') });
  operator.deployment = { ...operator.deployment, receiverTls: undefined };
  expect(await operator.run('receive', '--local')).toMatchObject({ code: 3, err: expect.stringContaining('--strict') });
});

test.each([
  ['--status', '199'],
  ['--status', 'ok'],
  ['--times', '0'],
  ['--delay', '6'],
  ['--port', '65536'],
  ['--body', '{'],
])('%s %s is refused', async (...words) => {
  expect((await new FakeOperator().run('receive', '--local', ...words)).code).toBe(2);
});
