import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { packedCdk } from './cdk/packed-cdk.ts';
import { PACKED, packedReceiver } from './receiver/packed-receiver.ts';

/** What a release publishes, as the ecosystem checks it. npx fetches the checkers. */

const npx = (...words: readonly string[]) =>
  execFileSync('npx', ['--yes', ...words], { cwd: temporaryFolder(), encoding: 'utf8' });

test.each([
  ['@va-wave/cdk', packedCdk],
  ['@va-wave/receiver', async () => join(await packedReceiver(), PACKED)],
])('%s passes publint, and its types are those of its files for every kind of import', async (_, packed) => {
  const tarball = await packed();
  expect(npx('publint@0.3.25', tarball, '--strict')).toContain('All good!');
  // Older resolution than that of Node 16 finds no package with `exports`.
  expect(npx('@arethetypeswrong/cli@0.18.5', tarball, '--profile', 'node16')).toContain('No problems found');
});

test('the bill of materials has everything that is distributed, and no tool', () => {
  const workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'));
  const steps: readonly { readonly run?: string }[] = workflow.jobs.pack.steps;
  const folder = temporaryFolder();
  const command = steps.find(({ run }) => run?.includes('npm sbom'))?.run ?? '';
  execFileSync('bash', ['-e', '-c', command], { env: { ...process.env, RUNNER_TEMP: folder } });
  type Bill = Readonly<
    Record<'components' | 'dependencies', readonly { readonly name: string; readonly ref: string }[]>
  >;
  const bill: Bill = JSON.parse(readFileSync(join(folder, 'va-wave.cdx.json'), 'utf8'));
  const names = bill.components.map(({ name }) => name);
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  const tools = Object.keys(devDependencies).filter((name) => names.includes(name));
  // A tool of this list is also a dependency of what is distributed.
  expect(tools).toEqual(['@aws/lambda-invoke-store']);
  expect(bill.dependencies).toHaveLength(names.length + 1);
});
