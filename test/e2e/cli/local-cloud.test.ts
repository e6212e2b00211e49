import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../cli/connection.ts';
import { listenNear } from '../../../local/cloud/listener.ts';
import { type LocalCloud, startLocalCloud } from '../../../local/local-cloud.ts';
import { receiverCertificates } from '../../../local/receiver-certificates.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { capturedRun } from './captured-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'va-wave-cli-'));
const readyFile = join(folder, 'ready-for-the-test.json');
let cloud: LocalCloud;

beforeAll(async () => {
  const tls = receiverCertificates(join(folder, 'receiver'));
  cloud = await startLocalCloud({
    data: join(folder, 'data'),
    assembly: await serviceAssembly(),
    authorities: [tls.caFile],
  });
  const { gatewayUrl, region, credentials, outputs } = cloud;
  const keys = { access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey };
  const receiver_tls = { certificate: tls.certificateFile, key: tls.keyFile };
  writeFileSync(readyFile, JSON.stringify({ gateway_url: gatewayUrl, region, outputs, receiver_tls, ...keys }));
});
afterAll(async () => {
  await cloud?.stop();
  rmSync(folder, { recursive: true });
});

const run = (words: readonly string[], pause?: () => Promise<boolean>) =>
  capturedRun(['--local', readyFile, ...words], connect, pause);

async function json(...words: readonly string[]) {
  const { code, out, err } = await run(words);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
}

test('creates an organization with its resources and reads the delivery log of an event', async () => {
  const { org_id } = await json('org', 'create', '--name', 'Corner Shop', '--plan', 'paid');
  const settings = ['--name', 'Shop', '--domain', 'shop.example', '--rate-limit', '9', '--mode', 'session-signed'];
  const { site_id } = await json('assistant', 'create', '--org', org_id, ...settings);

  const { server_secret } = await json('secret', 'generate', site_id);
  const created = await fetch(`${cloud.apiUrl}/api/widget/session/create`, {
    method: 'POST',
    headers: { 'X-Server-Key': server_secret, 'Content-Type': 'application/json' },
    body: '{}',
  });
  expect(await created.json()).toMatchObject({ success: true, site_id });

  // No program listens on this port, so every attempt fails at once and is recorded.
  const event = ['--trigger', 'Event', '--name', 'Tell', '--url', 'https://127.0.0.1:1/', '--event', 'sms.sent'];
  const { action_id } = await json('action', 'create', '--site', site_id, ...event);
  const { signing_secret } = await json('action', 'secret', action_id);
  expect(signing_secret).toMatch(/^whsec_/);

  const test = await run(['action', 'test', action_id]);
  expect([test.code, JSON.parse(test.out)]).toEqual([
    4,
    expect.objectContaining({ success: false, error: expect.objectContaining({ code: 'connect_failure' }) }),
  ]);

  const put = await json('event', 'put', 'sms.sent', '--org', org_id, '--site', site_id, '--data', '{"n": 1}');
  const until = Date.now() + 60_000;
  let log = [];
  // A record contains its payload after its attempt has ended.
  while ((log.length < 2 || log[0].state === 'started') && Date.now() < until) {
    log = await json('deliveries', action_id);
    await sleep(100);
  }
  expect(log.map((record: { trigger_ref: string }) => record.trigger_ref)).toEqual(['sms.sent', 'test.ping']);
  expect(JSON.parse(log[0].payload)).toMatchObject({ id: put.id, event: 'sms.sent', data: { n: 1 }, org_id, site_id });

  const followed = await run(['deliveries', action_id, '--follow']);
  expect(
    followed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).trigger_ref),
  ).toEqual(['test.ping', 'sms.sent']);
  expect(cloud.denials).toEqual([]);
});

test('receive verifies the requests of the service and sends the chosen answer', async () => {
  const free = createServer();
  const port = await listenNear(free, 0);
  await new Promise((resolve) => free.close(resolve));
  const { org_id } = await json('org', 'create', '--name', 'Trying');
  const settings = ['--name', 'Shop', '--domain', 'shop.example', '--rate-limit', '9'];
  const { site_id } = await json('assistant', 'create', '--org', org_id, ...settings);
  const event = ['--trigger', 'Event', '--name', 'Tell', '--event', 'sms.sent'];
  const url = `https://localhost:${port}/tell`;
  const { action_id } = await json('action', 'create', '--site', site_id, ...event, '--url', url);

  const words = [
    'cli/main.ts',
    'receive',
    '--local',
    readyFile,
    '--port',
    String(port),
    '--status',
    '503',
    '--times',
    '1',
  ];
  const receiver = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [receiver.stdout, receiver.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const ended = once(receiver, 'close');
  try {
    const until = Date.now() + 30_000;
    while (!printed.includes('Receiving at') && Date.now() < until) await sleep(50);
    const first = await run(['action', 'test', action_id]);
    expect([first.code, JSON.parse(first.out).status]).toEqual([4, 503]);
    const second = await run(['action', 'test', action_id]);
    expect([second.code, JSON.parse(second.out).status]).toEqual([0, 200]);
  } finally {
    receiver.kill('SIGINT');
  }
  expect((await ended)[0]).toBe(0);
  const lines = printed.split('\n').filter((line) => line.includes('POST /tell'));
  expect(lines.map((line) => line.slice(9))).toEqual([
    `POST /tell verified: event test.ping, of Tell (${action_id}); answered 503`,
    `POST /tell verified: event test.ping, of Tell (${action_id}); answered 200`,
  ]);
});
