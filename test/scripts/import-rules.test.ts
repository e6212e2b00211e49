import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const CHECK = 'node scripts/import-rules.ts';

/** A file whose code a rule forbids or allows. */
type Planted = { readonly path: string; readonly code: string };

/** Runs the check on a working copy that contains only these files. Returns the lines that name a violation. */
function check(files: readonly Planted[]): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'import-rules-'));
  try {
    execFileSync('git', ['init', '--quiet', root]);
    writeFileSync(
      join(root, 'package.json'),
      '{"imports": {"#network-rule": "./src/adapters/outbound/network-rule.ts"}}',
    );
    for (const { path, code } of files) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), `${code}\n`);
    }
    const [, script = ''] = CHECK.split(' ');
    const { status, stderr } = spawnSync(process.execPath, [resolve(script)], { cwd: root, encoding: 'utf8' });
    const said = stderr.split('\n').filter((line) => /^\S+:\d+ | import each other/.test(line));
    expect({ status, stderr }).toMatchObject({ status: said.length === 0 ? 0 : 1 });
    return said;
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('npm run check runs this check', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.check.split(' && ')).toContain(CHECK);
});

const PLANTED_IMPORTS: readonly (readonly [string, string | undefined])[] = [
  ["import { x } from '../../adapters/x.ts';", 'src/adapters/x.ts'],
  ["import type { X } from '../../adapters/x.ts';", 'src/adapters/x.ts'],
  ["import '../../adapters/x.ts';", 'src/adapters/x.ts'],
  ["import './../../adapters/x.ts';", 'src/adapters/x.ts'],
  ["import '../../../src/../lib/x.ts';", 'lib/x.ts'],
  ["import '../../contract/../../lib/x.ts';", 'lib/x.ts'],
  ["import '../../%61dapters/x.ts?again';", 'src/adapters/x.ts'],
  ["export { x } from '../../adapters/x.ts';", 'src/adapters/x.ts'],
  ["export * from '../../adapters/x.ts';", 'src/adapters/x.ts'],
  ["export type { X } from '../../adapters/x.ts';", 'src/adapters/x.ts'],
  ["await import('../../adapters/x.ts');", 'src/adapters/x.ts'],
  ['await import(`../../adapters/x.ts`);', 'src/adapters/x.ts'],
  ["let x: import('../../adapters/x.ts').X;", 'src/adapters/x.ts'],
  ["import '#network-rule';", 'src/adapters/outbound/network-rule.ts'],
  ["import '../../../../outside/x.ts';", '../outside/x.ts'],
  ["import '/etc/x.ts';", '/etc/x.ts'],
  ["import 'data:text/javascript,1';", 'data:text/javascript,1'],
  ["import 'undici';", 'undici'],
  ["import '@aws-sdk/client-sqs/dist';", '@aws-sdk/client-sqs'],
  ["import 'fs';", 'node:fs'],
  ["import 'node:timers/promises';", 'node:timers/promises'],
  ["import { randomUUID } from 'node:crypto';", 'randomUUID of node:crypto'],
  ["import { createHash, randomBytes as x } from 'node:crypto';", 'randomBytes of node:crypto'],
  ["import * as crypto2 from 'node:crypto';", '* of node:crypto'],
  ["import crypto2 from 'node:crypto';", 'default of node:crypto'],
  ["export * from 'node:crypto';", '* of node:crypto'],
  ["await import('node:crypto');", '* of node:crypto'],
  ["import type { KeyObject, X509Certificate } from 'node:crypto';", undefined],
  ["import { createHash } from 'node:crypto';", undefined],
  ["import { x } from '../../contract/x.ts';", undefined],
  ["import { x } from '../x.ts';", undefined],
  ["export * from '../other/x.ts';", undefined],
];

test('the check finds every way to write an import in the domain', () => {
  const planted = PLANTED_IMPORTS.map(([code], at) => ({ path: `src/domain/a/planted${at + 10}.ts`, code }));
  expect(check(planted)).toEqual(
    PLANTED_IMPORTS.flatMap(([, says], at) =>
      says === undefined ? [] : [`src/domain/a/planted${at + 10}.ts:1 src/domain may not import ${says}`],
    ),
  );
});

/** One folder for each kind of entry in a rule. */
const OF_FOLDERS: readonly (readonly [folder: string, code: string, refused?: string])[] = [
  ['bench', 'await import(String(1));'],
  ['cli', "import 'node:fs'; import 'commander'; import '../src/domain/x.ts';"],
  ['cli', "import { createRequire } from 'node:module';", 'node:module'],
  ['cli', "import '../node_modules/planted/index.js';", 'node_modules/planted/index.js'],
  ['cli', "import 'file:///planted.ts';", 'file:///planted.ts'],
  ['dashboard/src', "import { x } from '../../widget/x.ts';"],
  ['dashboard/src', "import { x } from '../vite.ts';", 'dashboard/vite.ts'],
  ['examples/conversation-view', "import 'react';", 'react'],
  ['lambdas/one', "import './x.ts';"],
  ['lambdas/one', "import '../other/x.ts';", 'lambdas/other/x.ts'],
  ['lib', "import '../lambdas/other/x.ts';", 'lambdas/other/x.ts'],
  ['local/cloud', "import '../../lib/x.ts';", 'lib/x.ts'],
  ['src/adapters', "import '@aws-sdk/client-sqs';"],
  ['src/adapters', 'await import(String(1));', 'a module whose name is computed at run time'],
  ['test', "import 'anything'; import '../lambdas/one/x.ts'; import 'node:module';"],
  ['test/fakes', "import '../x.ts';", 'test/x.ts'],
  ['widget', "import type { X } from '../src/contract/x.ts';"],
  ['widget', "import { x } from '../src/contract/x.ts';", 'more than types of src/contract/x.ts'],
  ['widget', "import type { X } from '../src/domain/x.ts';", 'src/domain/x.ts'],
];

test('the check follows the rule of each folder', () => {
  const planted = OF_FOLDERS.map(([folder, code, refused], at) => ({
    folder,
    refused,
    code,
    path: `${folder}/planted${at + 10}.ts`,
  }));
  expect(check(planted)).toEqual(
    planted.flatMap(({ path, folder, refused }) =>
      refused === undefined ? [] : [`${path}:1 ${folder} may not import ${refused}`],
    ),
  );
});

const IMPURE: readonly (readonly [string, ...(readonly string[])])[] = [
  ['new Date();', 'new Date() without a time'],
  ['new Date;', 'new Date() without a time'],
  ['new Date(...[]);', 'new Date() without a time'],
  ['Date();', 'Date'],
  ['Date.now();', 'Date.now'],
  ["Date['now']();", 'Date.[…]'],
  ['const { now } = Date;', 'Date'],
  ['const D = Date; new D();', 'Date'],
  ['Math.random();', 'Math.random'],
  ["Math['random']();", 'Math.[…]'],
  ['const { random } = Math;', 'Math'],
  ['setInterval(() => {}, 1);', 'setInterval'],
  ['setTimeout(() => {}, 1);', 'setTimeout'],
  ['setImmediate(() => {});', 'setImmediate'],
  ['queueMicrotask(() => {});', 'queueMicrotask'],
  ["globalThis.fetch('x');", 'globalThis'],
  ['globalThis.anything;', 'globalThis'],
  ['global.anything;', 'global'],
  ["fetch('x');", 'fetch'],
  ['const send = { fetch };', 'fetch'],
  ["new WebSocket('x');", 'WebSocket'],
  ['process.env.X;', 'process'],
  ['performance.now();', 'performance'],
  ['crypto.randomUUID();', 'crypto'],
  ["console.log('x');", 'console'],
  ["eval('x');", 'eval'],
  ["Function('return this')();", 'Function'],
  ['Reflect.get({}, 1);', 'Reflect'],
  ['new Intl.DateTimeFormat();', 'Intl'],
  ['AbortSignal.timeout(1);', 'AbortSignal'],
  ['import.meta.url;', 'import.meta'],
  ['const { x = fetch } = { x: undefined };', 'fetch'],
  ['new Date(0); new Date(2026, 0); Date.parse("2026"); Date.UTC(2026); let d: Date;'],
  ['Math.max(1, 2); JSON.parse("1"); ({ fetch: 1, process: 2 }).fetch; Buffer.from("x"); URL.parse("x");'],
  ['declare global { interface JSON { rawJSON(text: string): object } }'],
  ['type T = { fetch: Request; performance(): void };'],
];

test.each(['src/domain', 'src/contract'])('%s reads no clock, randomness, process or network', (folder) => {
  const planted = IMPURE.map(([code], at) => ({ path: `${folder}/a/planted${at + 10}.ts`, code }));
  expect(check(planted)).toEqual(
    IMPURE.flatMap(([, ...what], at) =>
      what.map((one) => `${folder}/a/planted${at + 10}.ts:1 ${folder} may not use ${one}: take it as an argument`),
    ),
  );
});

test('require and getBuiltinModule count as imports, and the check names a file that no rule covers', () => {
  const planted = [
    { path: 'dashboard/src/a.ts', code: "require('../../lib/x.ts');" },
    { path: 'lambdas/a/b.ts', code: "process.getBuiltinModule('node:fs');" },
    { path: 'lambdas/a/c.ts', code: 'require(String(1));' },
    { path: 'newcomer/a.ts', code: '' },
    { path: 'src/newcomer/a.ts', code: '' },
    { path: 'tool.config.mjs', code: "import 'anything';" },
  ];
  expect(check(planted)).toEqual([
    'dashboard/src/a.ts:1 dashboard/src may not import lib/x.ts',
    'lambdas/a/b.ts:1 lambdas/a may not import node:fs',
    'lambdas/a/c.ts:1 lambdas/a may not import a module whose name is computed at run time',
    'newcomer/a.ts:1 no import rule covers this folder',
    'src/newcomer/a.ts:1 no import rule covers this folder',
  ]);
});

test('the check names folders that import each other in a cycle', () => {
  const planted = [
    { path: 'src/adapters/a/x.ts', code: "import '../b/x.ts';" },
    { path: 'src/adapters/b/x.ts', code: "import '../c/x.ts';" },
    { path: 'src/adapters/c/x.ts', code: "import type { X } from '../a/y.ts';" },
    { path: 'src/adapters/d/x.ts', code: "import '../a/y.ts';" },
  ];
  expect(check(planted)).toEqual([
    'src/adapters/a and src/adapters/b import each other, directly or through other folders',
    'src/adapters/b and src/adapters/c import each other, directly or through other folders',
    'src/adapters/c and src/adapters/a import each other, directly or through other folders',
  ]);
});
