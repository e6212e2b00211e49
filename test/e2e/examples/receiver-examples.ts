import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { GO_FLAGS } from '../../examples/go-flags.ts';
import { type Missing, missingPackage, missingUnless } from '../../examples/where-installed.ts';
import { installReceiver } from '../../packages/receiver/install-receiver.ts';
import type { Command } from './child.ts';

export type ReceiverExample = {
  readonly name: string;
  readonly missing: Missing;
  /** Whether the example opens its port itself. Then it first checks its settings, and it reads TLS_CERT and TLS_KEY. */
  readonly ownServer: boolean;
  /** Prepares the example in its own folder. */
  readonly prepare: (folder: string) => Command;
};

export const EXAMPLES = resolve(import.meta.dirname, '../../../examples');
const source = (name: string) => join(EXAMPLES, 'receivers', name);

/** Copies an example, with the receiver package and the packages that `npm install` would add. */
export function installNodeExample(from: string, folder: string, packages: readonly string[] = []): void {
  cpSync(from, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  installReceiver(folder);
  const { resolve: find } = createRequire(import.meta.url);
  for (const name of packages) {
    symlinkSync(dirname(find(`${name}/package.json`)), join(folder, 'node_modules', name), 'dir');
  }
}

export const RECEIVERS: readonly ReceiverExample[] = [
  {
    name: 'node-http',
    missing: undefined,
    ownServer: true,
    prepare: () => ({ command: process.execPath, args: ['receiver.mjs'], cwd: source('node-http') }),
  },
  {
    name: 'node-express',
    missing: missingPackage('express'),
    ownServer: true,
    prepare: (folder) => {
      installNodeExample(source('node-express'), folder, ['express']);
      return { command: process.execPath, args: ['receiver.mjs'], cwd: folder };
    },
  },
  {
    name: 'python-flask',
    missing: missingUnless('Flask', python('import flask')),
    ownServer: true,
    prepare: () => ({ command: 'python3', args: ['-B', 'receiver.py'], cwd: source('python-flask') }),
  },
  {
    name: 'go',
    missing: missingUnless('Go', ['go', 'version']),
    ownServer: true,
    prepare: (folder) => {
      mkdirSync(folder, { recursive: true });
      const binary = join(folder, 'receiver');
      execFileSync('go', ['build', ...GO_FLAGS, '-o', binary, '.'], { cwd: source('go'), stdio: 'inherit' });
      return { command: binary, args: [], cwd: folder };
    },
  },
  {
    name: 'php',
    missing: missingUnless('PHP 8.1 or newer', ['php', '-r', 'exit(PHP_VERSION_ID >= 80100 ? 0 : 1);']),
    ownServer: false,
    prepare: () => ({ command: 'php', args: ['-S', '127.0.0.1:$PORT', 'receiver.php'], cwd: source('php') }),
  },
];

function python(script: string): readonly [string, ...string[]] {
  return ['python3', '-c', script];
}
