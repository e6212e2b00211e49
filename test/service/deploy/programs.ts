import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Puts `npx` into a folder, which runs the programs of this repository.
 * @param project folder in which the CDK runs, with its cdk.json
 */
export function installPrograms(bin: string, project: string): void {
  mkdirSync(bin);
  const node = `"${process.execPath}"`;
  const npx = [
    '#!/bin/sh',
    '[ "$1" = --no-install ] && shift; program=$1; shift',
    'case $program in',
    `  va-wave) exec ${node} "${root}cli/va-wave.mjs" "$@" ;;`,
    `  cdk) cd "${project}" && exec ${node} "${root}node_modules/aws-cdk/bin/cdk" "$@" ;;`,
    'esac',
    'echo "npx: $program is not a program of this repository" >&2; exit 127',
  ];
  writeFileSync(join(bin, 'npx'), `${npx.join('\n')}\n`);
  chmodSync(join(bin, 'npx'), 0o755);
}
