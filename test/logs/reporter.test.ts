import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `npm test`, as it is, on one test that logs this. */
function runWith(planted: string, by: 'handler' | 'test') {
  const args = ['test', '--', '--testMatch', '**/planted/function-that-logs.ts'];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PLANTED: planted, PLANTED_BY: by },
  });
  return { status, stderr };
}

const SECRET = `whsec_${'a'.repeat(43)}`;

test.each(['handler', 'test'] as const)(
  'a run in which the log of a %s holds a secret fails, and does not repeat it',
  (by) => {
    const { status, stderr } = runWith(SECRET, by);
    expect(status).toBe(1);
    expect(stderr).toMatch(/The log holds\n {2}a signing secret: "message":"Planted".*"service":"planted"/);
    expect(stderr).not.toContain(`a signing secret: ${SECRET}`);
  },
);

test('the same run without it succeeds', () => {
  const { status, stderr } = runWith('nothing', 'handler');
  expect(status).toBe(0);
  expect(stderr).toMatch(/1 lines, none with a secret/);
});
