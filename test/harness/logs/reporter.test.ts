import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { WAYS } from './planted/ways.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** `npm test`, as it is, on a suite that logs this in every way that there is. */
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

describe('functions log a secret', () => {
  const { status, stderr } = runWith(SECRET);

  test('the run fails, and does not repeat it', () => {
    expect(status).toBe(1);
    expect(stderr).toContain('The log holds\n');
    expect(stderr).not.toContain(SECRET);
  });

  test.each(WAYS)('%s is found', (way) => {
    expect(stderr).toContain(`  a signing secret: "message":"Planted by ${way}"`);
  });
});

test('functions log something else: every line is looked at, and the run succeeds', () => {
  const { status, stderr } = runWith('nothing');
  expect(status).toBe(0);
  expect(stderr).toContain(`Logs:        ${WAYS.length} lines, none with a secret`);
});
