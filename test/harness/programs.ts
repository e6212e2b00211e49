import { spawnSync } from 'node:child_process';

/** Returns `test`, which skips without this program. */
export function testWith(program: string): jest.It {
  if (spawnSync(program, ['--help']).error === undefined) return test;
  console.log(`A check is skipped: there is no ${program} on the PATH`);
  return test.skip;
}
