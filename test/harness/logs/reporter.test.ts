import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LOG_PATHS } from './planted/log-paths.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs `npm test` on a suite that logs this text on every path. */
function runWith(planted: string) {
  const args = ['test', '--', '--testMatch', '**/planted/function-that-logs.ts'];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PLANTED: planted },
  });
  return { status, stderr };
}

const SECRET = `whsec_${'a'.repeat(43)}`;

describe('when functions log a secret', () => {
  const { status, stderr } = runWith(SECRET);

  test('the run fails and does not print the secret', () => {
    expect(status).toBe(1);
    expect(stderr).toContain('The log holds\n');
    expect(stderr).not.toContain(SECRET);
  });

  test.each(LOG_PATHS)('the reporter finds the line of %s', (path) => {
    expect(stderr).toContain(`  a signing secret: "message":"Planted by ${path}"`);
  });
});

test('when functions log no secret, the reporter checks every line and the run succeeds', () => {
  const { status, stderr } = runWith('nothing');
  expect(status).toBe(0);
  expect(stderr).toContain(`Logs:        ${LOG_PATHS.length} lines, none with a secret`);
});
