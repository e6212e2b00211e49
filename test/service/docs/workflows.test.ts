import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';

const step = z.object({ uses: z.string().optional(), run: z.string().optional() });
const permissions = z.record(z.string(), z.string()).default({});
const job = z.object({ permissions: permissions.optional(), environment: z.string().optional(), steps: z.array(step) });
const workflow = z.object({ on: z.unknown(), permissions, jobs: z.record(z.string(), job) });

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

test.each([{ NODE_ENV: 'production' }, { npm_config_omit: 'dev' }])(
  'npm installs the tools of a deployment with %j',
  (set) => {
    const listed = execFileSync('npm', ['ls', '--json', 'aws-cdk', 'aws-cdk-lib', 'esbuild'], {
      env: { ...process.env, ...set },
      encoding: 'utf8',
    });
    expect(Object.keys(JSON.parse(listed).dependencies)).toEqual(
      expect.arrayContaining(['aws-cdk', 'aws-cdk-lib', 'esbuild']),
    );
  },
);
