import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { MiniStack } from './ministack.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** Runs a command of the CDK against the emulator, as an operator does. @param folder receives the command's files */
export async function cdk(ministack: MiniStack, folder: string, ...words: readonly string[]): Promise<string> {
  const out = ['--output', join(folder, 'cdk.out'), '--app', 'node test/e2e/deploy/app.ts'];
  const { stdout, stderr } = await run(process.execPath, ['node_modules/aws-cdk/bin/cdk', ...words, ...out], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...ministack.environment(), HOME: folder },
  });
  return stdout + stderr;
}
