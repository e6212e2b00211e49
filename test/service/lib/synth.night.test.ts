import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { BUDGETS } from './budgets.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const OUTBOUND = ['form-submit', 'dispatcher', 'ai-action', 'usage-report', 'action-test'];

const folder = temporaryFolder();
/** The text of each bundle, by the service name that its handler gives the logger. */
const bundles = new Map<string, string>();
/** The texts of the other files of each function's asset, by the same name. */
const beside = new Map<string, readonly string[]>();

/** Runs `cdk synth` as an operator does, but without an AWS account, a home directory, docker on the path, or a network. */
beforeAll(async () => {
  const nowhere = 'http://127.0.0.1:9';
  await promisify(execFile)(
    process.execPath,
    [
      join(root, 'node_modules/aws-cdk/bin/cdk'),
      'synth',
      '--quiet',
      '-c',
      'canary=true',
      '--output',
      join(folder, 'out'),
    ],
    {
      cwd: root,
      env: {
        PATH: dirname(process.execPath),
        HOME: folder,
        TMPDIR: tmpdir(),
        AWS_EC2_METADATA_DISABLED: 'true',
        CDK_VALIDATION: process.env.CDK_VALIDATION,
        CDK_DISABLE_STACK_TRACE: process.env.CDK_DISABLE_STACK_TRACE,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
        http_proxy: nowhere,
        https_proxy: nowhere,
      },
    },
  );
  for (const asset of await readdir(join(folder, 'out'))) {
    const text = await readFile(join(folder, 'out', asset, 'index.mjs'), 'utf8').catch(() => undefined);
    const name = text === undefined ? undefined : /functionShell\(["'`]([a-z-]+)["'`]/.exec(text)?.[1];
    if (text === undefined || name === undefined) continue;
    bundles.set(name, text);
    const files = (await readdir(join(folder, 'out', asset))).filter((file) => file !== 'index.mjs');
    beside.set(name, await Promise.all(files.map((file) => readFile(join(folder, 'out', asset, file), 'utf8'))));
  }
});

test('cdk synth makes the template and one bundle per function, each with a budget', async () => {
  expect(await readdir(join(folder, 'out'))).toContain('VaWave.template.json');
  expect([...bundles.keys()].sort()).toEqual((await readdir(join(root, 'lambdas'))).sort());
  expect([...bundles.keys()].sort()).toEqual(Object.keys(BUDGETS).sort());
});

test('every function’s asset contains its bundle, the licenses of the bundled packages, and no other file', async () => {
  const notices = await readFile(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  expect(beside.size).toBe(bundles.size);
  for (const [name, files] of beside) expect([name, files]).toEqual([name, [notices]]);
});

test.each(Object.entries(BUDGETS))('the bundle of %s stays within its budget', (name, budget) => {
  const size = Buffer.byteLength(bundles.get(name) ?? '');
  expect(size).toBeLessThanOrEqual(budget);
  // A budget that is far too large would limit nothing.
  expect(size).toBeGreaterThan(0.9 * budget);
});

test.each(OUTBOUND)('the bundle of %s contains the strict network rule and no setting that disables it', (name) => {
  const bundle = bundles.get(name) ?? '';
  // Every registry lists this address as public, but Azure uses it for its own platform service.
  expect(bundle).toContain('168.63.129.16');
  expect(bundle).not.toMatch(/NODE_TLS_REJECT_UNAUTHORIZED|rejectUnauthorized:\s*(false|!1)\b/);
});

test('no bundle contains the name of a variable of the local service, which its network rule reads', async () => {
  const local = 'VA_WAVE_LOCAL';
  expect(await readFile(join(root, 'local/network-rule.ts'), 'utf8')).toContain(local);
  for (const [name, bundle] of bundles) expect([name, bundle.includes(local)]).toEqual([name, false]);
});

test('the bundle of a function that sends no outbound request does not contain the outbound pipeline', () => {
  for (const [name, bundle] of bundles) {
    if (!OUTBOUND.includes(name)) expect([name, bundle.includes('168.63.129.16')]).toEqual([name, false]);
  }
});
