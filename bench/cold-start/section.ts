import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle as bundleAlone } from '../../lib/function-code.ts';
import { ratioGoal, type Section } from '../report.ts';
import { type BundledFunction, bundledFunctions } from '../setting/functions.ts';
import { functionEnvironment } from '../setting/storage.ts';
import { median } from '../statistics.ts';

const EMPTY = 'an empty handler';
const DYNAMODB = 'a handler with the DynamoDB client alone';
const ROUNDS = 15;

/** Bytes and import time of every function. */
export async function coldStart(folder: string): Promise<Section> {
  const functions = [
    reference(folder, EMPTY, 'empty-handler'),
    reference(folder, DYNAMODB, 'dynamodb-handler'),
    ...(await bundledFunctions(folder, true)),
  ];
  const times = new Map<string, { wall: number; cpu: number }[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, bundle } of functions) times.set(name, [...(times.get(name) ?? []), importTime(bundle)]);
  }
  const medianOf = (name: string, kind: 'wall' | 'cpu') => median((times.get(name) ?? []).map((time) => time[kind]));
  const ofReference = (name: string) => medianOf(name, 'cpu') / medianOf(DYNAMODB, 'cpu');
  return {
    title: 'Cold start',
    method: `The import of each deployed bundle in a fresh process, in turn, medians of ${ROUNDS} rounds. CPU is what counts: a function
of 512 MB has less than a third of a core. Node's own start is not part of it. Budgets for the bytes: test/lib/budgets.ts.`,
    tables: [
      {
        columns: ['Function', 'kB', 'import ms', 'import CPU ms', 'CPU of the DynamoDB client alone'],
        rows: functions.map(({ name, bundle }) => [
          name,
          statSync(bundle).size / 1000,
          medianOf(name, 'wall'),
          medianOf(name, 'cpu'),
          ofReference(name),
        ]),
      },
    ],
    goals: ['widget-routes-session-create', 'widget-routes-widget-init'].map((name) =>
      ratioGoal(`${name} of the DynamoDB client alone`, ofReference(name), { max: 1.3 }),
    ),
  };
}

function reference(folder: string, name: string, file: string): BundledFunction {
  const bundle = join(folder, file, 'index.mjs');
  // The SDK as it comes, with its whole search for credentials.
  bundleAlone(fileURLToPath(new URL(`./${file}.ts`, import.meta.url)), bundle);
  return { name, bundle };
}

const IMPORT_TIME = fileURLToPath(new URL('./import-time.ts', import.meta.url));

function importTime(bundle: string): { readonly wall: number; readonly cpu: number } {
  const env = { PATH: process.env.PATH, ...functionEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:1') };
  return JSON.parse(execFileSync(process.execPath, [IMPORT_TIME, bundle], { env, encoding: 'utf8' }));
}
