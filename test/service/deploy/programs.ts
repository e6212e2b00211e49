import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Puts `npx`, which runs the programs of this repository, and `aws`, which calls the emulator, into a folder.
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
  // For SQS, AWS's command line prefers an older address to that of the environment. The folder is the first of the path.
  const aws = ['#!/bin/sh', 'PATH="$(echo "$PATH" | cut -d: -f2-)" exec aws --endpoint-url "$AWS_ENDPOINT_URL" "$@"'];
  for (const [name, lines] of Object.entries({ npx, aws })) {
    writeFileSync(join(bin, name), `${lines.join('\n')}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}
