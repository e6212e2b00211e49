import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** `npm test`, as it is, on one test that logs this in this way. */
function runWith(planted: string, by: string) {
  const args = ['test', '--', '--testMatch', '**/planted/function-that-logs.ts'];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PLANTED: planted, PLANTED_BY: by },
  });
  return { status, stderr };
}

const WAYS = ['a handler that a test calls', 'a handler that nobody listens to', 'a function of a local cloud'];
const SECRET = `whsec_${'a'.repeat(43)}`;

test.each(WAYS)('%s logs a secret: the run fails, and does not repeat it', (by) => {
  const { status, stderr } = runWith(SECRET, by);
  expect(status).toBe(1);
  expect(stderr).toMatch(/The log holds\n {2}a signing secret: "message":"Planted".*"service":"planted"/);
  expect(stderr).not.toContain(SECRET);
});

test.each(WAYS)('%s logs something else: the run succeeds', (by) => {
  const { status, stderr } = runWith('nothing', by);
  expect(status).toBe(0);
  expect(stderr).toMatch(/Logs: +1 lines, none with a secret/);
});
