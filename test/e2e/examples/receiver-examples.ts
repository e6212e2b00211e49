import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { copiedExample, started } from '../../examples/copied-example.ts';
import { GO_FLAGS } from '../../examples/go-flags.ts';
import { type Missing, missingPackage, missingUnless } from '../../examples/where-installed.ts';
import type { Command } from './child.ts';

export type ReceiverExample = {
  readonly name: string;
  readonly missing: Missing;
  /** Whether the example opens its port itself. Then it first checks its settings, and it reads TLS_CERT and TLS_KEY. */
  readonly ownServer: boolean;
  /** Prepares a copy of the example in a folder outside the repository. */
  readonly prepare: (folder: string) => Command | Promise<Command>;
};

export const RECEIVERS: readonly ReceiverExample[] = [
  {
    name: 'node-express',
    missing: missingPackage('express'),
    ownServer: true,
    prepare: async (folder) => started(await copiedExample('receivers/node-express', folder)),
  },
  {
    name: 'python-flask',
    missing: missingUnless('Flask', python('import flask')),
    ownServer: true,
    prepare: async (folder) => ({
      command: 'python3',
      args: ['-B', 'receiver.py'],
      cwd: await copiedExample('receivers/python-flask', folder),
    }),
  },
  {
    name: 'go',
    missing: missingUnless('Go', ['go', 'version']),
    ownServer: true,
    prepare: async (folder) => {
      const cwd = await copiedExample('receivers/go', folder);
      execFileSync('go', ['build', ...GO_FLAGS, '-o', 'receiver', '.'], { cwd, stdio: 'inherit' });
      return { command: join(cwd, 'receiver'), args: [], cwd };
    },
  },
  {
    name: 'php',
    missing: missingUnless('PHP 8.1 or newer', ['php', '-r', 'exit(PHP_VERSION_ID >= 80100 ? 0 : 1);']),
    ownServer: false,
    prepare: async (folder) => ({
      command: 'php',
      args: ['-S', '127.0.0.1:$PORT', 'receiver.php'],
      cwd: await copiedExample('receivers/php', folder),
    }),
  },
];

function python(script: string): readonly [string, ...string[]] {
  return ['python3', '-c', script];
}
