import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { oncePerRun } from '../../../harness/run-folder.ts';
import { readDocument, samples } from '../../../unit/docs/documents.ts';

const root = resolve(import.meta.dirname, '../../../..');
const commands = samples(readDocument('packages/receiver/README.md')).find(({ language }) => language === 'sh')?.code;
const [pack = '', install = ''] = commands?.split('\n') ?? [];

/** The name of the package's file in the commands of its README. */
export const PACKED = /va-wave-receiver-\S+\.tgz/.exec(install)?.[0] ?? '';

/** Packs the package once per run, by the command of its README. @returns the folder with the file */
export function packedReceiver(): Promise<string> {
  return oncePerRun('receiver-package', async (folder) => {
    npm(pack.replace('cd va-wave && npm ci && ', '').replace('<your project>', folder), root);
  });
}

/** Runs a command of npm without a registry. @returns what it printed @throws when it fails */
export function npm(command: string, folder: string): string {
  const environment = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_update_notifier: 'false' };
  const env = { ...process.env, ...environment };
  return execFileSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
}

/** Installs the package into a project, by the command of its README. */
export async function installReceiver(project: string): Promise<void> {
  cpSync(join(await packedReceiver(), PACKED), join(project, PACKED));
  npm(install.replace('<your project>', '.'), project);
}
