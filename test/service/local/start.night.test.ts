import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { startServer } from '../../harness/server.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { eventually, until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
const readyFile = join(folder, 'ready.json');

type Run = { readonly child: ChildProcess; readonly output: () => string; readonly ended: Promise<number | null> };

const runs: Run[] = [];
afterAll(() => {
  for (const { child } of runs) child.kill('SIGKILL');
});

/** Starts the service with the suites' common bundles. Without `assembly`, it synthesizes and bundles as `npm start` does. */
const start = (more: readonly string[], assembly?: string): Run =>
  startScript('start.ts', ['--no-demo', ...more], assembly);

function startScript(name: string, more: readonly string[], assembly?: string): Run {
  const script = fileURLToPath(new URL(`../../../local/${name}`, import.meta.url));
  const child = spawn(process.execPath, [script, '--data', data, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, VA_WAVE_LOCAL_ASSEMBLY: assembly },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const run = { child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
  runs.push(run);
  return run;
}

/** Waits for the ready file, and for the output that follows it, which arrives through a pipe. */
async function ready(run: Run): Promise<Record<string, string>> {
  return eventually(async () => {
    if (run.child.exitCode !== null) throw new Error(run.output());
    if (!existsSync(readyFile) || !/is ready after \d+\.\d s/.test(run.output())) return undefined;
    return JSON.parse(readFileSync(readyFile, 'utf8'));
  });
}

/** Returns the command lines of processes that name the test's data folder. */
function leftOver(): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    })
    .filter((commandLine) => commandLine.includes(folder));
}

const PROBLEMS = [
  'event: message.recieved is not in the catalog; did you mean message.received?',
  'org_id: no organization org_none',
];

/** Puts two events on the bus that reach no Action. */
async function putLost(file: Awaited<ReturnType<typeof ready>>) {
  const bus = new EventBridgeClient({
    endpoint: String(file.gateway_url),
    region: 'us-east-1',
    credentials: { accessKeyId: String(file.access_key_id), secretAccessKey: String(file.secret_access_key) },
  });
  const entry = {
    EventBusName: Object(file.outputs)[OUTPUTS.eventBus],
    Source: 'crm',
    Detail: '{"org_id": "org_none", "data": {}}',
  };
  const Entries = ['message.recieved', 'message.sent'].map((DetailType) => ({ ...entry, DetailType }));
  const answer = await bus.send(new PutEventsCommand({ Entries }));
  return [answer.FailedEntryCount, answer.Entries?.map(({ ErrorMessage }) => ErrorMessage)];
}

test('the service starts and prints its addresses, and Ctrl-C ends all its processes', async () => {
  const run = start(['--port', '0', '--ready-file', readyFile]);
  const file = await ready(run);
  expect(run.output()).toMatch(
    /^ +\d+\.\d s {2}Synthesizing .* …\n +\d+\.\d s {2}Creating tables, .* …\n +\d+\.\d s {2}Connecting functions, .* …\nva-wave is ready after \d+\.\d s/m,
  );
  expect(file).toMatchObject({ region: 'us-east-1', outputs: { BaseUrl: file.base_url, ApiUrl: file.api_url } });
  expect(JSON.parse(readFileSync(join(data, 'ready.json'), 'utf8'))).toEqual(file);
  expect(statSync(readyFile).mode & 0o077).toBe(0);
  const below = readdirSync(data, { recursive: true, encoding: 'utf8' });
  // The CDK sets other modes for files that it copies. The mode of the folder around them protects them.
  const open = ['', ...below.filter((name) => !name.startsWith('assembly-'))].filter(
    (name) => (statSync(join(data, name)).mode & 0o077) !== 0,
  );
  expect(open).toEqual([]);
  expect((await fetch(`${file.base_url}/static/va-wave-widget.js`)).status).toBe(200);
  expect((await fetch(`${file.base_url}/api/none`)).status).toBe(404);
  expect(leftOver().some((line) => line.includes('dynoxide'))).toBe(true);

  expect(await putLost(file)).toEqual([0, [undefined, undefined]]);
  for (const problem of PROBLEMS) expect(run.output()).toContain(`An event of crm reaches no Action: ${problem}\n`);

  const second = start(['--port', '0']);
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/^The data folder .* is used by a running instance \(process \d+\)[^\n]*\n$/);

  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  expect(leftOver()).toEqual([]);
  expect([readyFile, join(data, 'ready.json')].filter((file) => existsSync(file))).toEqual([]);
});

test('with --refuse-lost-events, the bus refuses an event that reaches no Action; its engines and ready files go when the service is killed', async () => {
  const options = ['--port', '0', '--ready-file', readyFile, '--refuse-lost-events'];
  const run = start(options, await serviceAssembly());
  expect(await putLost(await ready(run))).toEqual([2, PROBLEMS]);
  await until(() => leftOver().some((line) => line.includes('dynoxide')));
  run.child.kill('SIGKILL');
  await run.ended;
  await until(() => leftOver().length === 0);
  expect([readyFile, join(data, 'ready.json')].filter((file) => existsSync(file))).toEqual([]);
});

test('npm run invoke gives an event to one function in the same state, and prints its answer', async () => {
  const event = join(folder, 'event.json');
  writeFileSync(event, '{"operation": "listTools", "site_id": "site_none"}');
  const assembly = await serviceAssembly();
  const invoke = (name: string) => startScript('invoke.ts', [name, event], assembly);
  const known = invoke('ai-action');
  expect(await known.ended).toBe(0);
  expect(known.output()).toContain('{"success":false,"code":"assistant_not_found"');
  const unknown = invoke('canary');
  expect(await unknown.ended).toBe(1);
  expect(unknown.output()).toContain('The stack has no function canary');
});

test('for a port in use or one that is too large, prints one message and exits with 1', async () => {
  const { port, stop } = await startServer(() => {});
  const run = start(['--port', String(port)], await serviceAssembly());
  expect(await run.ended).toBe(1);
  expect(run.output()).toBe(
    `Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 = any)\n`,
  );
  stop();
  const wrong = start(['--port', '70000']);
  expect(await wrong.ended).toBe(1);
  expect(wrong.output()).toContain('from 0 to 65535');
});
