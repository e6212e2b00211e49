import { relative } from 'node:path';

/** What jest-light-runner runs in a process of tests. */
const { default: run } = await import(new URL('worker-runner.js', import.meta.resolve('jest-light-runner')).href);

/** What every file of a process sees, and a test can replace. */
const SHARED = { console, crypto, Date, JSON, Math, performance };
const GLOBALS = [
  'AbortSignal',
  'clearTimeout',
  'console',
  'Date',
  'fetch',
  'process',
  'setInterval',
  'setTimeout',
  'URL',
];

/** What the runner, Powertools and `scripts/linear-expressions.ts` set when they are first imported. */
const OF_IMPORTS = ['JEST_WORKER_ID', 'AWS_SDK_UA_APP_ID', 'RECHECK_SYNC_BACKEND'].map((name) => `process.env.${name}`);

/** Returns each shared value by its name. */
function sharedState() {
  const members = Object.entries(SHARED).flatMap(([name, object]) =>
    Object.entries(Object.getOwnPropertyDescriptors(object))
      .filter(([, { value }]) => typeof value === 'function')
      .map(([member, { value }]) => [`${name}.${member}`, value]),
  );
  const environment = Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value]);
  const globals = GLOBALS.map((name) => [name, globalThis[name]]);
  return new Map([
    ...globals,
    ...members,
    ...environment,
    ['the current folder', process.cwd()],
    ['process.env', process.env],
  ]);
}

/** Runs a file of tests. @throws when it leaves something changed that the next file of the process would see */
export default async function runFile(path) {
  const before = sharedState();
  const result = await run(path);
  if (result.numFailingTests > 0) return result;
  const after = sharedState();
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name) && !OF_IMPORTS.includes(name),
  );
  if (names.length > 0) throw new Error(`${relative('', path)} does not put back: ${names.join(', ')}`);
  return result;
}
