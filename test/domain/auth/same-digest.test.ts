import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sameDigest } from '../../../src/domain/auth/same-digest.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The only comparison of the service, and that of the package for customers, which has no imports. */
const ALLOWED = {
  'src/domain/auth/same-digest.ts': 'timingSafeEqual(expected, provided)',
  'packages/receiver/src/secrets.ts': 'timingSafeEqual(received, expected)',
};

/** Names of values that an attacker may try to guess. */
const SECRET = String.raw`\w*(?:[sS]ecret|[sS]erverKey|[sS]ignature|[dD]igest|[hH]mac|sha256|[pP]roof|[pP]assword|[aA]piKey)(?!\w)`;
/** Allowed comparisons: whether the value exists, and its length. */
const HARMLESS = String.raw`(?:undefined|null|true|false|\d+)\b|''`;
const COMPARISONS = [
  new RegExp(String.raw`(?<!typeof [\w.]*)${SECRET}(?:\[[^\]]*\])?\s*[!=]==?(?!=|\s*(?:${HARMLESS}))`),
  new RegExp(String.raw`(?<!typeof \w*)[!=]==?\s*(?:\w+\.)*${SECRET}(?!\.length)`),
  new RegExp(String.raw`${SECRET}\.(?:includes|indexOf|endsWith|localeCompare|equals|match)\(`),
  new RegExp(String.raw`\.(?:includes|indexOf|equals|localeCompare|compare)\(\s*(?:\w+\.)*${SECRET}\s*\)`),
  /\btimingSafeEqual\b/,
];

/** Returns lines that compare a secret without sameDigest. */
function comparisons(file: string, text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line))
    .filter((line) => COMPARISONS.some((comparison) => comparison.test(line)))
    .map((line) => `${file}: ${line.trim()}`);
}

test('equal digests are the same, different ones are not', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  expect(sameDigest(digest('a'), digest('a'))).toBe(true);
  expect(sameDigest(digest('a'), digest('b'))).toBe(false);
  expect(sameDigest(Buffer.alloc(0), digest('a'))).toBe(false);
});

test.each(Object.entries(ALLOWED))('the comparison in %s takes constant time', (file, call) => {
  const code = readFileSync(`${root}${file}`, 'utf8');
  expect(code.split(call)).toHaveLength(2);
  expect(comparisons(file, code.replace(call, '').replace(/^import .*$/gm, ''))).toEqual([]);
});

test('nothing else in the service compares a secret', () => {
  const files = globSync('{src,lambdas,packages/receiver/src}/**/*.ts', { cwd: root }).filter(
    (file) => !(file in ALLOWED),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap((file) => comparisons(file, readFileSync(`${root}${file}`, 'utf8')))).toEqual([]);
});

test.each([
  'if (secret === stored.secret) return true;',
  "if (request.headers['x'] !== expectedSignature) throw new Error();",
  'return serverSecret == given;',
  'return accepted.includes(secret);',
  'return stored.sha256 === hash;',
  'if (digest.equals(other)) return;',
  'return timingSafeEqual(a, b);',
])('finds: %s', (line) => {
  expect(comparisons('file', line)).toHaveLength(1);
});

test.each([
  'if (server_secret === undefined) return null;',
  "if (request.serverKey === '') throw new Error();",
  'const secret = await readSecret();',
  'return secret.length === 32;',
  "if (typeof options.secret === 'function') return options.secret(body);",
])('accepts: %s', (line) => {
  expect(comparisons('file', line)).toEqual([]);
});
