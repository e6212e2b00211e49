import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../../local/cloud/listener.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { OLDER_NODE } from '../packages/cdk/packed-cdk.ts';
import { npm } from '../packages/receiver/packed-receiver.ts';

async function launch(...words: readonly string[]) {
  const child = spawn(process.execPath, ['cli/va-wave.mjs', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

test('passes on output, arguments and exit code, and a closed pipe is no error', async () => {
  const [list, refused] = await Promise.all([
    launch('event', 'list', '--json'),
    launch('logs', 'it\'s; $(odd) "', '--json'),
  ]);
  expect(list).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(list.out)).toHaveLength(27);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse(refused.err)).toEqual({ error: expect.stringContaining("'it's; $(odd) \"' is invalid") });
  const script = `"${process.execPath}" cli/va-wave.mjs event list | head -n 1; echo "\${PIPESTATUS[0]}"`;
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toMatch(/^EVENT .*\n0\n$/);
});

test.each([
  ['event list > /dev/full', 1, 'The output could not be written: ENOSPC: no space left on device, write\n'],
  ['event list --json > /dev/full', 1, expect.stringContaining('could not be written')],
  ['nonsense 2> /dev/full', 2, ''],
  ['nonsense 2>&1 > /dev/null | true', 2, ''],
])('%s ends with %i', (words, code, message) => {
  const script = `"${process.execPath}" cli/va-wave.mjs ${words}; exit "\${PIPESTATUS[0]}"`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([code, message]);
});

test('npx runs it on the Node of node_modules, also where an older one is installed', () => {
  const older = OLDER_NODE === undefined ? '' : `PATH="${dirname(OLDER_NODE)}:$PATH" `;
  expect(JSON.parse(npm(`${older}npx --no-install va-wave event list --json`, '.'))).toHaveLength(27);
});

test.each([
  ['cli/va-wave.mjs', 'va-wave'],
  ['local/start.mjs', 'npm start'],
])('%s says on an older Node, before npm ci, which one it needs', (script, program) => {
  const clone = temporaryFolder();
  for (const name of ['cli', 'local']) mkdirSync(join(clone, name));
  for (const file of [script, 'cli/node-version.mjs']) cpSync(file, join(clone, file));
  const old = `data:text/javascript,Object.defineProperty(process, 'version', { value: 'v22.12.0' });
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } });`;
  const [node, ...flags] = OLDER_NODE === undefined ? [process.execPath, '--import', old] : [OLDER_NODE];
  const { status, stdout, stderr } = spawnSync(node, [...flags, join(clone, script)], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(`^${program} needs Node 24 or newer, and this is v[\\d.]+\\. .*npm ci --ignore-scripts=false.*\\n$`),
  );
});

test('reports a one-machine service that has ended', async () => {
  const folder = temporaryFolder();
  const readyFile = join(folder, 'ready.json');
  const gateway_url = `http://127.0.0.1:${await freePort()}`;
  const outputs = Object.fromEntries(Object.values(OUTPUTS).map((name) => [name, name]));
  const keys = { access_key_id: 'a', secret_access_key: 'b' };
  writeFileSync(readyFile, JSON.stringify({ gateway_url, region: 'us-east-1', outputs, data_folder: folder, ...keys }));
  const ended = await launch('org', 'list', '--local', readyFile, '--json');
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(ended.err).error).toMatch(/^The deployment does not answer \(ECONNREFUSED\)/);
});
