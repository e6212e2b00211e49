import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const step = z.object({ uses: z.string().optional(), run: z.string().optional() });
const permissions = z.record(z.string(), z.string()).default({});
const job = z.object({ permissions: permissions.optional(), environment: z.string().optional(), steps: z.array(step) });
const workflow = z.object({
  'run-name': z.string().optional(),
  permissions,
  jobs: z.record(z.string(), job),
});

const files = globSync('{.github/workflows,examples/pipeline}/*.yml').map((path) => {
  const text = readFileSync(path, 'utf8');
  return { path, text, ...workflow.parse(parse(text)) };
});
const jobs = files.flatMap((file) =>
  Object.entries(file.jobs).map(([name, { steps, environment, permissions = file.permissions }]) => {
    return { name: `${file.path} ${name}`, steps, environment, permissions };
  }),
);

test.each(files)('$path names every action by a commit and a version', ({ text }) => {
  const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
  expect(actions).not.toEqual([]);
  for (const action of actions) expect(action).toMatch(/^[\w-]+(\/[\w-]+){1,2}@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('the tests of the night run every night', () => {
  const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
  const nightScripts = Object.keys(scripts).filter((name) => scripts[name]?.includes('night'));
  const patterns = nightScripts.map((name) => /-- '?(.+?)'? --verbose/.exec(scripts[name] ?? '')?.[1] ?? 'nothing');
  const nobodyRuns = globSync('test/**/*.night.test.ts').filter(
    (path) => !patterns.some((pattern) => new RegExp(pattern).test(path)),
  );
  expect(nobodyRuns).toEqual([]);
  const nightly = files.find(({ path }) => path.endsWith('nightly.yml'))?.text ?? '';
  expect(nightScripts.filter((name) => !new RegExp(`\\b${name}\\b`).test(nightly))).toEqual([]);
});

test('every package that a workflow names has an exact version', () => {
  const installs = files.flatMap(({ text }) => [...text.matchAll(/(?:pip|npm) install (?!-r )(.+)/g)]);
  expect(installs.length).toBeGreaterThan(1);
  for (const [, named = ''] of installs) expect(named).toMatch(/^[\w-]+(==|@)\d+\.\d+\.\d+$/);
});

/** What runs the code of a commit, of its tests, of its app or of a package's scripts. */
const FOREIGN_CODE =
  /npm (run|test|ci(?! --ignore-scripts)|install)|cdk (synth|(deploy|diff)(?! --app assembly))|\.ci\//;

const privileged = jobs.filter(({ permissions }) => permissions['id-token'] === 'write');

test('a job that may ask for credentials runs no code of a commit before it has them, and no script of a package', () => {
  expect(privileged.length).toBeGreaterThan(4);
  for (const { name, steps } of privileged) {
    for (const { run = '' } of steps) expect([name, run]).not.toEqual([name, expect.stringMatching(FOREIGN_CODE)]);
    const credentials = steps.findIndex(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials'));
    const before = steps.slice(0, Math.max(0, credentials)).flatMap(({ run }) => run ?? []);
    expect([name, before.filter((run) => run !== 'npm ci --ignore-scripts')]).toEqual([name, []]);
  }
});

test('only a job that may ask for credentials has an environment, and that of pull requests has no checkout', () => {
  expect(jobs.filter(({ environment }) => environment).map(({ name }) => name)).toEqual(
    privileged.map(({ name }) => name),
  );
  const review = privileged.filter(({ environment }) => environment === 'review');
  expect(review.map(({ steps }) => steps.some(({ uses }) => uses?.includes('checkout')))).toEqual([false]);
});

describe('a run by hand of the pipeline', () => {
  const pipeline = files.find(({ path }) => path === 'examples/pipeline/deploy.yml');
  const steps = pipeline?.jobs.assembly?.steps ?? [];
  const check = steps.findIndex(({ run }) => run?.includes('merge-base'));
  const repository = temporaryFolder();
  const git = (...words: string[]) => execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).trim();
  const commit = (message: string) => {
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  const hashes: Record<string, string> = {};
  beforeAll(() => {
    git('init', '--quiet', '--initial-branch', 'main');
    hashes['an earlier commit of main'] = commit('first');
    hashes['a tag of main'] = 'v1.0.0';
    git('tag', 'v1.0.0');
    git('checkout', '--quiet', '-b', 'merged');
    hashes['a commit of a branch that main has merged'] = commit('second');
    git('checkout', '--quiet', 'main');
    commit('third');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'merge', '--quiet', '--no-edit', 'merged');
    hashes['the last commit of main'] = git('rev-parse', 'HEAD');
    hashes['the beginning of a hash of main'] = git('rev-parse', '--short', 'HEAD');
    hashes['the name of main'] = 'main';
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    git('checkout', '--quiet', '-b', 'unreviewed');
    hashes['a commit of an unreviewed branch'] = commit('fourth');
    git('checkout', '--quiet', '--orphan', 'fork');
    hashes['a commit without a common ancestor'] = commit('fifth');
  });

  test.each([
    ['an earlier commit of main', true],
    ['the last commit of main', true],
    ['a commit of a branch that main has merged', true],
    ['a commit of an unreviewed branch', false],
    ['a commit without a common ancestor', false],
    ['the beginning of a hash of main', false],
    ['the name of main', false],
    ['a tag of main', false],
  ])('%s: %p', (name, isDeployed) => {
    const COMMIT = hashes[name] ?? '';
    git('checkout', '--quiet', '--detach', COMMIT);
    const { status } = spawnSync('bash', ['-e', '-c', steps[check]?.run ?? ''], {
      cwd: repository,
      env: { ...process.env, COMMIT },
    });
    expect(status === 0).toBe(isDeployed);
  });

  test('runs nothing of the commit before the check, and says in its name which commit it is', () => {
    expect(steps.slice(0, check).map(({ uses }) => uses?.split('@')[0])).toEqual(['actions/checkout']);
    expect(pipeline?.['run-name']).toContain('inputs.commit');
    expect(steps[check]?.run).not.toContain('${{');
  });
});

test('every package of the lock file that installs by a script is allowed or refused by name', () => {
  const lock: Record<string, { hasInstallScript?: true }> = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  ).packages;
  const scripted = Object.keys(lock).filter((path) => lock[path]?.hasInstallScript);
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(allowScripts).sort()).toEqual(
    scripted.map((path) => path.replace(/^.*node_modules\//, '')).sort(),
  );
  expect(readFileSync('.npmrc', 'utf8')).toContain('strict-allow-scripts=true\n');
});

test('npm is told to install what is for development, such as the tools of a deployment', () => {
  expect(readFileSync('.npmrc', 'utf8')).toContain('\ninclude=dev\n');
});
