import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle as bundleAlone } from '../../lib/bundles.ts';
import { goal, type Section } from '../report.ts';
import { functionEnvironment } from '../setting/bench-storage.ts';
import { type BundledFunction, bundledFunctions } from '../setting/functions.ts';
import { median } from '../statistics.ts';

const DYNAMODB = 'a handler with the DynamoDB client alone';
const ROUNDS = 15;

/** Measures the size and the import time of every function. */
export async function coldStart(folder: string): Promise<Section> {
  const functions = [reference(folder, DYNAMODB, 'dynamodb-handler'), ...(await bundledFunctions(folder, true))];
  const times = new Map<string, { wall: number; cpu: number }[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, bundle } of functions) times.set(name, [...(times.get(name) ?? []), importTime(bundle)]);
  }
  const medianOf = (name: string, kind: 'wall' | 'cpu') => median((times.get(name) ?? []).map((time) => time[kind]));
  const ofReference = (name: string) => medianOf(name, 'cpu') / medianOf(DYNAMODB, 'cpu');
  return {
    title: 'Cold start',
    method: `Each round imports every deployed bundle once, each in a new process. Figures are medians of ${ROUNDS} rounds, without the start of
Node itself. CPU time matters most, because a function of 512 MB has less than a third of a core. The last column compares it with the
DynamoDB client alone. test/lib/budgets.ts limits the sizes.`,
    tables: [
      {
        columns: ['Function', 'kB', 'import ms', 'import CPU ms', 'CPU ratio to the DynamoDB client'],
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
      goal(`${name}: CPU ratio to the DynamoDB client`, ofReference(name), { max: 1.3 }),
    ),
  };
}

function reference(folder: string, name: string, file: string): BundledFunction {
  const bundle = join(folder, file, 'index.mjs');
  // The bundle contains the unchanged SDK, with its complete search for credentials.
  bundleAlone(fileURLToPath(new URL(`./${file}.ts`, import.meta.url)), bundle);
  return { name, bundle };
}

const IMPORT_TIME = fileURLToPath(new URL('./import-time.ts', import.meta.url));

function importTime(bundle: string): { readonly wall: number; readonly cpu: number } {
  const env = { PATH: process.env.PATH, ...functionEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:1') };
  return JSON.parse(execFileSync(process.execPath, [IMPORT_TIME, bundle], { env, encoding: 'utf8' }));
}
