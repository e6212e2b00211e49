import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ROOMS } from '../../scripts/rooms/rules.ts';

const CHECK = 'node scripts/rooms.ts';

/** One file with one line that a rule forbids or allows. */
type Planted = { readonly path: string; readonly code: string };

/** What the check says in a working copy that holds these files and nothing else. */
function check(files: readonly Planted[]): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'rooms-'));
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

/** A file in a room, and the way from it to the root. */
function fileIn(room: string, name: string): { readonly path: string; readonly up: string } {
  const path = `${room.replace('*', 'any')}/deep/${name}.ts`;
  return { path, up: '../'.repeat(path.split('/').length - 1) };
}

test('npm run check runs this check', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.check.split(' && ')).toContain(CHECK);
});

test('each room may import what its list says, by every kind of import', () => {
  const planted = ROOMS.flatMap((room, at) => {
    const { path, up } = fileIn(room.path, `allowed${at}`);
    const rooms = room.rooms?.includes('*') ? ROOMS.map((other) => other.path) : (room.rooms ?? []);
    const imports = rooms.map((other) => `import '${up}${other.replace('*', 'any')}/x.ts';`);
    const types = (room.typesOf ?? []).map((other) => `import type { X } from '${up}${other}/x.ts';`);
    const packages = (room.packages ?? []).map((name) => {
      const names = room.names?.[name];
      return names === undefined ? `import '${name.replace('*', 'fs')}';` : `import { ${names} } from '${name}';`;
    });
    const own = ["import './x.ts';", "export * from './x.ts';", "await import('./x.ts');"];
    const computed = room.importsComputed ? ['await import(String(1));'] : [];
    return [{ path, code: [...imports, ...types, ...packages, ...own, ...computed].join('\n') }];
  });
  expect(check(planted)).toEqual([]);
});

test('each room that is not on the list, a package, a module of Node and a computed import are named', () => {
  const planted: Planted[] = [];
  const expected: string[] = [];
  for (const [index, room] of ROOMS.entries()) {
    let count = 0;
    const plant = (code: (up: string) => string, says: string) => {
      count += 1;
      const { path, up } = fileIn(room.path, `planted${index}_${count}`);
      planted.push({ path, code: code(up) });
      expected.push(`${path}:1 ${room.path.replace('*', 'any')} may not import ${says}`);
    };
    for (const other of ROOMS) {
      if (other === room || room.rooms?.some((name) => name === '*' || name === other.path)) continue;
      const target = `${other.path.replace('*', 'some')}/planted.ts`;
      const onlyTypes = room.typesOf?.includes(other.path) === true;
      plant((up) => `export { planted } from '${up}${target}';`, onlyTypes ? `more than types of ${target}` : target);
    }
    if (room.path.includes('*')) {
      const target = `${room.path.replace('*', 'some')}/planted.ts`;
      plant((up) => `import '${up}${target}';`, target);
    }
    plant((up) => `import '${up}node_modules/planted/index.js';`, 'node_modules/planted/index.js');
    plant(() => "import 'file:///planted.ts';", 'file:///planted.ts');
    if (room.packages?.includes('*')) continue;
    plant(() => "import 'planted/part';", 'planted');
    if (!room.packages?.includes('node:*')) plant(() => "import 'node:repl';", 'node:repl');
    if (!room.packages?.includes('node:module')) {
      plant(() => "import { createRequire } from 'node:module';", 'node:module');
    }
    if (!room.importsComputed) plant(() => 'await import(String(1));', 'what is computed when it runs');
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

test('no way of writing an import in the domain is overlooked', () => {
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

test.each(['src/domain', 'src/contract'])('%s reads no clock, randomness, process or network', (room) => {
  const planted = IMPURE.map(([code], at) => ({ path: `${room}/a/planted${at + 10}.ts`, code }));
  expect(check(planted)).toEqual(
    IMPURE.flatMap(([, ...what], at) =>
      what.map((one) => `${room}/a/planted${at + 10}.ts:1 ${room} may not use ${one}: pass it in`),
    ),
  );
});

test('require and getBuiltinModule are imports, and a file outside every room is named', () => {
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
    'lambdas/a/c.ts:1 lambdas/a may not import what is computed when it runs',
    'newcomer/a.ts:1 lies in no room',
    'src/newcomer/a.ts:1 lies in no room',
  ]);
});

test('folders that import each other in a circle are named', () => {
  const planted = [
    { path: 'src/adapters/a/x.ts', code: "import '../b/x.ts';" },
    { path: 'src/adapters/b/x.ts', code: "import '../c/x.ts';" },
    { path: 'src/adapters/c/x.ts', code: "import type { X } from '../a/y.ts';" },
    { path: 'src/adapters/d/x.ts', code: "import '../a/y.ts';" },
  ];
  expect(check(planted)).toEqual([
    'src/adapters/a and src/adapters/b import each other, if not directly',
    'src/adapters/b and src/adapters/c import each other, if not directly',
    'src/adapters/c and src/adapters/a import each other, if not directly',
  ]);
});
