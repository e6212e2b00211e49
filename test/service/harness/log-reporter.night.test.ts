import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { IN_PAYLOADS_ONLY, leaksIn, redacted } from '../../harness/logs/leaks.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('when functions log a secret, on whatever path, the run fails and does not print the secret', () => {
  const secret = `whsec_${'a'.repeat(43)}`;
  const { status, stderr } = spawnSync('npm', ['test', '--', '--testMatch', '**/planted/function-that-logs.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PLANTED: secret },
  });
  expect(status).toBe(1);
  expect(stderr).not.toContain(secret);
  const found = [...stderr.matchAll(/ {2}a signing secret: "message":"Planted by (.*?)"/g)].map(([, path]) => path);
  expect(found).toEqual([
    'a handler that a test calls',
    'a handler whose log the test does not read',
    'a function of a local cloud',
  ]);
});

const of = (detail: unknown) => JSON.stringify({ level: 'INFO', message: 'Attempted', service: 'dispatcher', detail });

test.each([
  ['a server secret', `ss_${'a2'.repeat(10)}_${'B'.repeat(43)}`],
  ['a signing secret', `whsec_${'x'.repeat(43)}`],
  ['a sealed signing secret', `v1.bench.${'x'.repeat(100)}`],
  ['a token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2ln'],
  ['a signature', `t=1790000000,v1=${'0a'.repeat(32)}`],
  ['a signature', '0a'.repeat(32)],
  ['a key', 'a sealing key of the benchmark'],
  ['a payload', `{"text":"${IN_PAYLOADS_ONLY}"}`],
  ['a field that holds a payload or a secret', { values: { name: 'Ada' } }],
  ['a field that holds a payload or a secret', JSON.stringify({ session_token: 'x' })],
  ['a field that holds a payload or a secret', { 'X-Service-Signature': 'x' }],
])('finds %s', (name, detail) => {
  expect(leaksIn(of(detail))).toContain(name);
});

test.each([
  'act_gbmimg67wnju2exjtk7f',
  'd0b1f6f4-7b0c-4c57-9d7f-0b4f0d1f5f5a',
  `Error: Away\n    at handler (/assembly/asset.${'0a'.repeat(32)}/index.mjs:1:2)`,
  'The session token has expired',
])('finds nothing in %s', (detail) => {
  expect(leaksIn(of(detail))).toEqual([]);
});

test('the redacted line does not contain the secret', () => {
  const line = JSON.stringify({ message: `The key ss_${'a'.repeat(50)}`, service: 'dispatcher', detail: 'ss_short' });
  expect(redacted(line)).toBe('"message":"The key …" "service":"dispatcher"');
});
