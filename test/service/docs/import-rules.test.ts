import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { withImportRules } from '../../../scripts/import-rules.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

/** A folder, and code that one of the rules in biome.json forbids or allows there. */
type Planted = readonly [folder: string, code: string];

const planted = (codes: Readonly<Record<string, readonly string[]>>): readonly Planted[] =>
  Object.entries(codes).flatMap(([folder, list]) => list.map((code): Planted => [folder, code]));

/** What neither the domain nor the contract may use. */
const IMPURE = [
  ...['new Date();', 'Date();', 'Date.now();', 'Math.random();', "fetch('x');", 'const send = { fetch };'],
  ...['setTimeout(() => {}, 1);', 'globalThis.anything;', 'process.env.X;', 'performance.now();', 'import.meta.url;'],
  ...['crypto.randomUUID();', "console.log('x');", "eval('x');", 'new Intl.DateTimeFormat();', 'Reflect.get({}, 1);'],
  'AbortSignal.timeout(1);',
];

const REFUSED = planted({
  'src/domain/auth': [
    ...["import { x } from '../../adapters/x.ts';", "import type { X } from '../../adapters/x.ts';"],
    ...["import '../../../src/../lib/x.ts';", "export * from '../../adapters/x.ts';"],
    ...["await import('../../adapters/x.ts');", 'await import(`../../adapters/x.ts`);'],
    ...["let x: import('../../adapters/x.ts').X;", "import '#network-rule';", "import '/etc/x.ts';"],
    ...["import 'undici';", "import 'fs';", "import 'node:timers/promises';", "import { x } from '../actions/x.ts';"],
    ...["import { createHash, randomBytes as x } from 'node:crypto';", "import * as crypto2 from 'node:crypto';"],
    ...IMPURE,
  ],
  'src/contract': IMPURE,
  'src/domain': ["import '../adapters/x.ts';"],
  'src/adapters': ["import '../functions/x.ts';"],
  'src/adapters/sqs': ['await import(String(1));'],
  'src/newcomer': ["import './x.ts';"],
  newcomer: ["import 'zod';"],
  'lambdas/one': ["import '../other/x.ts';", "process.getBuiltinModule('node:fs');", "require('node:fs');"],
  lib: ["import '../lambdas/other/x.ts';"],
  cli: ["import { createRequire } from 'node:module';"],
  'cli/commands': ["import '../../src/adapters/x.ts';", "import 'node:fs';"],
  'cli/operations': ["import '../x.ts';", "import '../../src/adapters/x.ts';", 'Date.now();'],
  'dashboard/src': ["import '../vite.ts';"],
  'examples/conversation-view': ["import 'react';"],
  'local/cloud': ["import '../../lib/x.ts';"],
  'local/cloud/state': ["import '../../demo/x.ts';"],
  'test/fakes': ["import '../x.ts';"],
  widget: ["import { x } from '../src/contract/x.ts';", "import type { X } from '../src/domain/x.ts';"],
});

const ALLOWED = planted({
  'src/domain/auth': [
    ...["import type { KeyObject, X509Certificate } from 'node:crypto';", "import { createHash } from 'node:crypto';"],
    ...["import { x } from '../../contract/x.ts';", "import { x } from '../x.ts';"],
    'new Date(0); Date.UTC(2026); Math.max(1, 2); ({ fetch: 1 }).fetch; Buffer.from("x");',
  ],
  'src/domain/actions': ["import { x } from '../auth/x.ts';"],
  'src/adapters/sqs': ["import '@aws-sdk/client-sqs';"],
  'lambdas/one': ["import './x.ts';"],
  cli: ["import 'node:fs/promises';"],
  'dashboard/src': ["import '../../widget/x.ts';"],
  widget: ["import type { X } from '../src/contract/x.ts';"],
  test: ["import 'anything';"],
  bench: ['await import(String(1));'],
});

test('biome.json has the rules of the table', () => {
  const text = readFileSync('biome.json', 'utf8');
  expect(withImportRules(text)).toBe(text);
});

test('the linter refuses each planted violation of an import rule, and nothing that the rules allow', () => {
  const root = temporaryFolder();
  cpSync('.biome', join(root, '.biome'), { recursive: true });
  copyFileSync('biome.json', join(root, 'biome.json'));
  const files = [...REFUSED, ...ALLOWED].map(([folder, code], at) => ({ path: `${folder}/planted${at}.ts`, code }));
  for (const { path, code } of files) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), `${code}\n`);
  }
  const only = ['style/noRestrictedImports', 'style/noRestrictedGlobals', 'plugin'].map((rule) => `--only=${rule}`);
  const { stdout, stderr } = spawnSync(
    resolve('node_modules/.bin/biome'),
    ['lint', ...only, '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=concise', '.'],
    { cwd: root, encoding: 'utf8' },
  );
  const refused = new Set([...`${stdout}${stderr}`.matchAll(/^× (\S+?):\d/gm)].map(([, path]) => path));
  expect(files.filter(({ path }) => refused.has(path))).toEqual(files.slice(0, REFUSED.length));
});
