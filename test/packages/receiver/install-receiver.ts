import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const source = resolve(import.meta.dirname, '../../../packages/receiver');

/** Builds the package into `<app>/node_modules`, as an installation would. */
export function installReceiver(app: string): void {
  const target = join(app, 'node_modules/@va-wave/receiver');
  mkdirSync(target, { recursive: true });
  for (const file of ['package.json', 'vectors.json']) cpSync(join(source, file), join(target, file));
  execFileSync(process.execPath, [join(source, 'build.ts'), join(target, 'dist')], { stdio: 'inherit' });
}
