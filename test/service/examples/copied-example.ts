import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packedCdk } from '../packages/cdk/packed-cdk.ts';
import { npm, PACKED, packedReceiver } from '../packages/receiver/packed-receiver.ts';

const root = resolve(import.meta.dirname, '../../..');

type Package = {
  readonly scripts: { readonly start: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

const packageOf = (project: string): Package => JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));

/**
 * Copies an example into a folder outside the repository, and installs its packages there. Needs no registry: it links the packages that the
 * repository has, and npm then refuses another version than the example names.
 * @param project the folder of the example's `package.json`
 * @returns the path of that folder
 */
export async function copiedExample(name: string, folder: string, project = '.'): Promise<string> {
  const source = join(root, 'examples', name);
  cpSync(source, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const copy = join(folder, project);
  if (!existsSync(join(copy, 'package.json'))) return copy;
  const { dependencies, devDependencies } = packageOf(copy);
  const packages = Object.entries({ ...dependencies, ...devDependencies });
  for (const [dependency, version] of packages) {
    if (version === `file:${PACKED}`) cpSync(join(await packedReceiver(), PACKED), join(copy, PACKED));
    else if (dependency === '@va-wave/cdk') cpSync(await packedCdk(), join(copy, version.replace('file:', '')));
    else link(join(copy, 'node_modules'), dependency);
  }
  // Without a registry, npm cannot compare what is linked with what another package asks for.
  if (packages.length > 0) npm('npm install --legacy-peer-deps', copy);
  return copy;
}

function link(modules: string, dependency: string): void {
  const target = join(modules, dependency);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, 'node_modules', dependency), target, 'dir');
}

/** The command of `npm start`. Its process is not the child of another one, so that a test can end it. */
export function started(cwd: string) {
  const [, ...args] = packageOf(cwd).scripts.start.split(' ');
  return { command: process.execPath, args, cwd };
}
