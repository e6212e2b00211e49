import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from '../../../local/cloud/listener.ts';
import { missingProgram, testWhere } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { eventually, until } from '../../harness/until.ts';
import { readDocument, samples } from '../../unit/docs/documents.ts';
import { type StartedService, startService } from '../acceptance/started-service.ts';
import { installReceiver } from '../packages/receiver/packed-receiver.ts';

/** The folder in which the reader runs the commands of the page. */
const folder = temporaryFolder();
const GUIDE = 'docs/getting-started.md';
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  VA_WAVE_LOCAL: '.local/ready.json',
};

let service: StartedService;
/** What the test writes instead of the page's ports and placeholders. */
const replacements = new Map<string, string>();
const running: ChildProcess[] = [];

beforeAll(async () => {
  mkdirSync(join(folder, 'bin'));
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${resolve('cli/va-wave.mjs')}" "$@"\n`;
  writeFileSync(join(folder, 'bin', 'npx'), npx);
  chmodSync(join(folder, 'bin', 'npx'), 0o755);
  symlinkSync(process.execPath, join(folder, 'bin', 'node'));
  for (const name of ['examples', 'node_modules']) symlinkSync(resolve(name), join(folder, name));
  service = await startService(join(folder, '.local'));
  const port = String(await freePort());
  // The page relies on the default port.
  replacements.set(
    'npx --no-install va-wave receive --local\n',
    `npx --no-install va-wave receive --local --port ${port}\n`,
  );
  replacements.set('8443', port).set('9000', String(await freePort()));
  replacements.set('http://127.0.0.1:8787', service.baseUrl).set('<base_url>', service.baseUrl);
});
afterAll(async () => {
  for (const { pid, exitCode, signalCode } of running) {
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  }
  await service?.interrupt();
});

/** The text of a page with the ports of this test and the ids that the commands printed. */
function replaced(text: string): string {
  return [...replacements].reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

/** Finds the only sample of a page in this language that contains these words. */
function sampleWith(words: string, path = GUIDE, expected = 'sh'): string {
  const found = samples(readDocument(path)).filter(
    ({ language, code }) => language === expected && code.includes(words),
  );
  expect(found).toHaveLength(1);
  return replaced(found[0]?.code ?? '');
}

/** The output that the guide shows after the sample with these words. */
function shownAfter(words: string): string {
  const page = samples(readDocument(GUIDE));
  const index = page.findIndex(({ code }) => code.includes(words));
  const next = page[index + 1];
  if (next?.language !== 'text') throw new Error(`The page shows no output after ${words}`);
  return replaced(next.code).trimEnd();
}

function start(script: string) {
  // A process group of its own, so that the test ends the programs that bash started too.
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const ended = once(child, 'close').then(([code]) => code);
  return {
    output: () => output,
    ended,
    stop: async () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await ended;
    },
  };
}

/** Runs a sample of the guide to its end. @returns what it printed */
const run = (words: string) => runScript(sampleWith(words));

async function runScript(text: string): Promise<string> {
  const script = start(text);
  expect({ code: await script.ended, output: script.output() }).toMatchObject({ code: 0 });
  return script.output();
}

/** Starts a sample of the guide that runs until Ctrl-C, and waits until it prints this text. */
async function startUntil(words: string, printed: string) {
  const script = start(sampleWith(words));
  await until(() => script.output().includes(printed));
  return script;
}

/** Stores an id that a command printed for the placeholder of the same name. */
function keepId(output: string, name: string): void {
  const [, id] = new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(output) ?? [];
  if (id === undefined) throw new Error(`No ${name} in: ${output}`);
  replacements.set(`<${name}>`, id);
}

const testWithCurl = testWhere(missingProgram('curl'), 'pages with commands of curl');

testWithCurl('the commands of docs/getting-started.md do what the page says', async () => {
  keepId(await run('va-wave org create'), 'org_id');
  keepId(await run('va-wave assistant create'), 'site_id');
  keepId(await run('--trigger Event'), 'action_id');

  const receiver = await startUntil(
    'npx --no-install va-wave receive --local\n',
    shownAfter('npx --no-install va-wave receive --local\n'),
  );
  expect(await run('npx --no-install va-wave action test')).toContain(
    shownAfter('npx --no-install va-wave action test'),
  );
  expect(receiver.output()).toMatch(/verified[\s\S]*test\.ping/);
  expect(await run('curl --cacert')).toContain('X-Service-Signature is missing');

  await run('npx --no-install va-wave event put');
  await until(() => receiver.output().includes('contact.created'));
  expect(receiver.output()).toContain('Zoë');
  await receiver.stop();

  await run('--trigger Form');
  const shop = start(sampleWith('page.html'));
  const html = await eventually(() => textAt(`http://localhost:${replacements.get('9000')}/`));
  expect(html).toContain(`data-site-id="${replacements.get('<site_id>')}"`);
  expect(html).toBe(readFileSync(join(folder, '.local', 'page.html'), 'utf8'));
  await shop.stop();

  await run('npx --no-install va-wave member add');
});

testWithCurl('the shop and the runtime of docs/integration.md work together', async () => {
  const page = 'docs/integration.md';
  const shop = join(folder, 'shop');
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), '{"private":true}');
  await installReceiver(shop);
  writeFileSync(join(shop, 'shop.mjs'), sampleWith('createTlsServer', page, 'js'));
  writeFileSync(join(shop, 'runtime.mjs'), sampleWith('LambdaClient', page, 'js'));
  const origin = `http://localhost:${replacements.get('9000')}`;
  const output = await runScript(
    [
      sampleWith('org create', page).replace(/^mkdir shop.*/m, ''),
      sampleWith('node shop/shop.mjs', page),
      `until curl -fs ${origin}/ > page.html; do kill -0 %1; done`,
      sampleWith('action test', page),
      sampleWith('node shop/runtime.mjs', page),
      'kill %1',
    ].join('\n'),
  );
  expect(output).toContain("test { email: 'test@example.com' }");
  expect(output).toContain("The Action completed. { number: '1001', status: 'shipped' }");
  const [, token = ''] = /data-session-token="([^"]+)"/.exec(readFileSync(join(folder, 'page.html'), 'utf8')) ?? [];
  const init = { method: 'POST', headers: { 'X-Session-Token': token, Origin: origin }, body: '{}' };
  expect((await fetch(`${service.baseUrl}/api/widget/init`, init)).status).toBe(200);
});

test('an AWS SDK reaches one machine, as docs/assistant-runtime.md says', async () => {
  const page = 'docs/assistant-runtime.md';
  await runScript(sampleWith('--trigger AI-decided', 'docs/actions.md'));
  writeFileSync(join(folder, 'tools.mjs'), sampleWith('listTools', page, 'js'));
  expect(await runScript(`${sampleWith('ready()', page)}\nnode tools.mjs`)).toContain('"name":"find-an-order"');
});

test('a script gets a token of the login, as docs/dashboard.md says', async () => {
  const script = ['BASE_URL=', 'COOKIES=', 'TOKEN='].map((words) => sampleWith(words, 'docs/dashboard.md'));
  const { organizations } = JSON.parse(await runScript(script.join('\n')));
  expect(organizations).toContainEqual(
    expect.objectContaining({ org_id: replacements.get('<org_id>'), role: 'admin' }),
  );
});

async function textAt(url: string): Promise<string | undefined> {
  const response = await fetch(url).catch(() => undefined);
  return response?.text();
}
