import { globSync, readFileSync } from 'node:fs';

const workflows = globSync('{.github/workflows,examples/pipeline}/*.yml').map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}));

test.each(workflows)('$path names every action by a commit and a version', ({ text }) => {
  const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
  expect(actions).not.toEqual([]);
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('the slow tests run every night', () => {
  const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
  const slow = Object.keys(scripts).filter((name) => scripts[name]?.includes('.slow.ts'));
  const nightly = workflows.find(({ path }) => path.endsWith('nightly.yml'))?.text ?? '';
  expect(slow.filter((name) => !nightly.includes(`'${name}'`))).toEqual([]);
});
