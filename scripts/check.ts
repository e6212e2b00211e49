import { spawnSync } from 'node:child_process';

/** The programs of `npm run check`, each with what it alone finds (docs/development.md). */
const CHECKS = [
  'biome check --error-on-warnings .',
  'tsc',
  'tsc -p widget',
  'tsc -p dashboard',
  'tsc -p test/unit/dashboard',
  'tsc -p packages/receiver',
  'knip',
  'node scripts/linear-expressions.ts',
  'node scripts/name-rule.ts',
];

/** Runs all commands, also after one that fails, and returns those that fail. They print what they find. */
export const failingCommands = (commands: readonly string[]): readonly string[] =>
  commands.filter((command) => spawnSync(command, { shell: true, stdio: 'inherit' }).status !== 0);

if (import.meta.main) {
  const failures = failingCommands(CHECKS);
  if (failures.length > 0) {
    console.error(`Failed: ${failures.join(', ')}`);
    process.exitCode = 1;
  }
}
