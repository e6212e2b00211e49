import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUDGETS } from './budgets.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const OUTBOUND = ['form-submit', 'dispatcher', 'ai-action', 'usage-report', 'action-test'];

let folder: string;
/** By the service name that a handler gives its logger. */
const bundles = new Map<string, string>();
/** What lies beside a bundle, by the same name. */
const beside = new Map<string, readonly string[]>();

/** As an operator would, but with no AWS account, no home directory, no docker on the path, and every network way closed. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'va-wave-synth-'));
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
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
        http_proxy: nowhere,
        https_proxy: nowhere,
      },
    },
  );
  for (const asset of await readdir(join(folder, 'out'))) {
    const text = await readFile(join(folder, 'out', asset, 'index.mjs'), 'utf8').catch(() => undefined);
    const name =
      text === undefined ? undefined : /(?:serviceName:\s*|outboundFunction\()["'`]([a-z-]+)["'`]/.exec(text)?.[1];
    if (text === undefined || name === undefined) continue;
    bundles.set(name, text);
    const files = (await readdir(join(folder, 'out', asset))).filter((file) => file !== 'index.mjs');
    beside.set(name, await Promise.all(files.map((file) => readFile(join(folder, 'out', asset, file), 'utf8'))));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('cdk synth makes the template and one bundle per function', async () => {
  expect(await readdir(join(folder, 'out'))).toContain('VaWave.template.json');
  expect([...bundles.keys()].sort()).toEqual((await readdir(join(root, 'lambdas'))).sort());
});

test('every function comes with the licenses of what its bundle contains, and with nothing else', async () => {
  const notices = await readFile(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  expect(beside.size).toBe(bundles.size);
  for (const [name, files] of beside) expect([name, files]).toEqual([name, [notices]]);
});

test('every function has a budget, and every budget its function', () => {
  expect(Object.keys(BUDGETS).sort()).toEqual([...bundles.keys()].sort());
});

test.each(Object.entries(BUDGETS))('the bundle of %s stays within its budget', (name, budget) => {
  const size = Buffer.byteLength(bundles.get(name) ?? '');
  expect(size).toBeLessThanOrEqual(budget);
  // A budget that is far too large holds nobody to anything.
  expect(size).toBeGreaterThan(0.9 * budget);
});

test.each(OUTBOUND)('the bundle of %s holds the strict network rule and no way around it', (name) => {
  const bundle = bundles.get(name) ?? '';
  // The one address that is public by every registry and still AWS's and Azure's own.
  expect(bundle).toContain('168.63.129.16');
  expect(bundle).not.toContain('VA_WAVE_LOCAL');
  expect(bundle).not.toMatch(/NODE_TLS_REJECT_UNAUTHORIZED|rejectUnauthorized:\s*(false|!1)\b/);
});

test('what the bundles must not hold is what the local rule is known by', async () => {
  expect(await readFile(join(root, 'local/network-rule.ts'), 'utf8')).toContain('VA_WAVE_LOCAL');
});

test('no function without an outbound request carries the pipeline', () => {
  for (const [name, bundle] of bundles) {
    if (!OUTBOUND.includes(name)) expect([name, bundle.includes('168.63.129.16')]).toEqual([name, false]);
  }
});

test("no bundle reads an environment variable that the stack does not set, except AWS's and Powertools' own", () => {
  for (const [name, bundle] of bundles) {
    const read = [...bundle.matchAll(/process\.env\.(VA_WAVE\w*)|process\.env\[["'](VA_WAVE\w*)["']\]/g)].map(
      (match) => match[0],
    );
    expect([name, read]).toEqual([name, []]);
  }
});
