import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { OUTPUTS } from '../../src/deployment/outputs.ts';

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

function launch(node: string, ...words: readonly string[]): Promise<Ended> {
  const child = spawn(node, ['cli/va-wave.mjs', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** A Node that is older than the one in node_modules. */
const older = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((path) => existsSync(path) && Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]'])) < 24);

const nodes: [string, string][] = [['this Node', process.execPath]];
if (older !== undefined) nodes.push(['an older Node', older]);

test.each(nodes)('runs on %s and passes on output, arguments and exit code', async (_, node) => {
  const [list, refused] = await Promise.all([
    launch(node, 'event', 'list', '--json'),
    launch(node, 'logs', 'it\'s; $(odd) "', '--json'),
  ]);
  expect(list).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(list.out)).toHaveLength(27);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse(refused.err)).toEqual({ error: expect.stringContaining("'it's; $(odd) \"' is invalid") });
});

test.each([
  ['cli/va-wave.mjs', 'va-wave'],
  ['local/start.mjs', 'npm start'],
])('%s says on an older Node, before npm ci, which one it needs', (script, program) => {
  const clone = mkdtempSync(join(tmpdir(), 'va-wave-clone-'));
  for (const folder of ['cli', 'local']) mkdirSync(join(clone, folder));
  for (const file of ['cli/va-wave.mjs', 'cli/node-version.mjs', 'local/start.mjs']) cpSync(file, join(clone, file));
  const old = `data:text/javascript,Object.defineProperty(process, 'version', { value: 'v22.12.0' });
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } });`;
  const [node, ...flags] = older === undefined ? [process.execPath, '--import', old] : [older];
  const { status, stdout, stderr } = spawnSync(node, [...flags, join(clone, script)], { encoding: 'utf8' });
  rmSync(clone, { recursive: true });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^${program} needs Node 24 or newer, and this is v[\\d.]+\\. Run npm ci.*\\n$`));
});

test('reports a one-machine service that has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-cli-'));
  const readyFile = join(folder, 'ready.json');
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  const gateway_url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const outputs = Object.fromEntries(Object.values(OUTPUTS).map((name) => [name, name]));
  const keys = { access_key_id: 'a', secret_access_key: 'b' };
  writeFileSync(readyFile, JSON.stringify({ gateway_url, region: 'us-east-1', outputs, data_folder: folder, ...keys }));
  const ended = await launch(process.execPath, 'org', 'list', '--local', readyFile, '--json');
  rmSync(folder, { recursive: true });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(ended.err).error).toMatch(/^The deployment does not answer \(ECONNREFUSED\)/);
});

test.each(nodes)('on %s it is not an error when a reader closes the pipe', async (_, node) => {
  const script = `"${node}" cli/va-wave.mjs event list | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const out = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(out).toMatch(/^EVENT .*\n0\n$/);
});
