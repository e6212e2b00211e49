import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { MUTATIONS } from './mutations.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const LEFT_OUT = ['node_modules', '.git', '.local', 'cdk.out'];
const copy = temporaryFolder();

beforeAll(() => {
  const isCopied = (path: string) => !LEFT_OUT.includes(relative(root, path).split(sep)[0] ?? '');
  cpSync(root, copy, { recursive: true, filter: isCopied });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});

type Report = {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
};

/** Runs the tests of these files in the copy. @returns how many passed, and the full names of those that failed */
function run(...files: readonly string[]): { readonly passed: number; readonly failed: readonly string[] } {
  const outputFile = join(copy, 'report.json');
  rmSync(outputFile, { force: true });
  spawnSync('npm', ['test', '--', '--ci', '--json', `--outputFile=${outputFile}`, ...files], { cwd: copy });
  const { testResults }: Report = JSON.parse(readFileSync(outputFile, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const namesOf = (status: string) => tests.filter((test) => test.status === status).map(({ fullName }) => fullName);
  return { passed: namesOf('passed').length, failed: namesOf('failed') };
}

test('without a mutation, every test passes', () => {
  const { passed, failed } = run(...new Set(Object.values(MUTATIONS).map(({ seenBy }) => seenBy)));
  expect(failed).toEqual([]);
  expect(passed).toBeGreaterThan(0);
}, 300_000);

test.each(Object.entries(MUTATIONS))(
  'a test fails when %s',
  (_, { file, text, becomes, seenBy }) => {
    const path = join(copy, file);
    const original = readFileSync(path, 'utf8');
    expect(original.split(text)).toHaveLength(2);
    writeFileSync(
      path,
      original.replace(text, () => becomes),
    );
    const { failed } = run(seenBy);
    writeFileSync(path, original);
    expect(failed).not.toEqual([]);
  },
  300_000,
);
