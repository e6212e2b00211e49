import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { FOLDER_RULES } from '../../scripts/import-rules/rules.ts';

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

/** Returns the path of a file in a folder, and the relative path from it to the root. */
function fileIn(folder: string, name: string): { readonly path: string; readonly up: string } {
  const path = `${folder.replace('*', 'any')}/deep/${name}.ts`;
  return { path, up: '../'.repeat(path.split('/').length - 1) };
}

test('npm run check runs this check', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.check.split(' && ')).toContain(CHECK);
});

test('each folder may import what its rule lists, by every kind of import', () => {
  const planted = FOLDER_RULES.flatMap((rule, at) => {
    const { path, up } = fileIn(rule.path, `allowed${at}`);
    const folders = rule.folders?.includes('*') ? FOLDER_RULES.map((other) => other.path) : (rule.folders ?? []);
    const imports = folders.map((other) => `import '${up}${other.replace('*', 'any')}/x.ts';`);
    const types = (rule.typesOf ?? []).map((other) => `import type { X } from '${up}${other}/x.ts';`);
    const packages = (rule.packages ?? []).map((name) => {
      const names = rule.names?.[name];
      return names === undefined ? `import '${name.replace('*', 'fs')}';` : `import { ${names} } from '${name}';`;
    });
    const own = ["import './x.ts';", "export * from './x.ts';", "await import('./x.ts');"];
    const computed = rule.importsComputed ? ['await import(String(1));'] : [];
    return [{ path, code: [...imports, ...types, ...packages, ...own, ...computed].join('\n') }];
  });
  expect(check(planted)).toEqual([]);
});

test('the check names every forbidden folder, package, module of Node and computed import', () => {
  const planted: Planted[] = [];
  const expected: string[] = [];
  for (const [index, rule] of FOLDER_RULES.entries()) {
    let count = 0;
    const plant = (code: (up: string) => string, says: string) => {
      count += 1;
      const { path, up } = fileIn(rule.path, `planted${index}_${count}`);
      planted.push({ path, code: code(up) });
      expected.push(`${path}:1 ${rule.path.replace('*', 'any')} may not import ${says}`);
    };
    for (const other of FOLDER_RULES) {
      if (other === rule || rule.folders?.some((name) => name === '*' || name === other.path)) continue;
      const target = `${other.path.replace('*', 'some')}/planted.ts`;
      const onlyTypes = rule.typesOf?.includes(other.path) === true;
      plant((up) => `export { planted } from '${up}${target}';`, onlyTypes ? `more than types of ${target}` : target);
    }
    if (rule.path.includes('*')) {
      const target = `${rule.path.replace('*', 'some')}/planted.ts`;
      plant((up) => `import '${up}${target}';`, target);
    }
    plant((up) => `import '${up}node_modules/planted/index.js';`, 'node_modules/planted/index.js');
    plant(() => "import 'file:///planted.ts';", 'file:///planted.ts');
    if (rule.packages?.includes('*')) continue;
    plant(() => "import 'planted/part';", 'planted');
    if (!rule.packages?.includes('node:*')) plant(() => "import 'node:repl';", 'node:repl');
    if (!rule.packages?.includes('node:module')) {
      plant(() => "import { createRequire } from 'node:module';", 'node:module');
    }
    if (!rule.importsComputed) plant(() => 'await import(String(1));', 'a module whose name is computed at run time');
  }
  expect(check(planted)).toEqual([...expected].sort(byPathAsGitSorts));
});

const byPathAsGitSorts = (a: string, b: string) => {
  const [one = '', other = ''] = [a.split(':')[0], b.split(':')[0]];
  return one < other ? -1 : Number(one > other);
};

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
