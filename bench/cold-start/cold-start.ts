import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLE } from '../../lib/bundles.ts';
import { goals, type Section } from '../report.ts';
import { awsEnvironment } from '../setting/bench-storage.ts';
import { assembledService } from '../setting/functions.ts';
import { median } from '../statistics.ts';

const DYNAMODB = 'a handler with the DynamoDB client alone';
const ROUNDS = 15;

export async function coldStart(folder: string): Promise<Section> {
  const service = await assembledService(folder, { strict: true }); // The bundles as they are deployed.
  const functions = [{ name: DYNAMODB, bundle: bundledReference(folder), variables: {} }, ...service.functions];
  const times = new Map<string, { wall: number; cpu: number }[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, bundle, variables } of functions) {
      times.set(name, [...(times.get(name) ?? []), importTime(bundle, variables)]);
    }
  }
  const medianOf = (name: string, kind: 'wall' | 'cpu') => median((times.get(name) ?? []).map((time) => time[kind]));
  const ofReference = (name: string) => medianOf(name, 'cpu') / medianOf(DYNAMODB, 'cpu');
  return {
    title: 'Cold start',
    method: `Each round imports every deployed bundle once, each in a new process. Figures are medians of ${ROUNDS} rounds, without the start of
Node itself. CPU time matters most, because a function of 512 MB has less than a third of a core. The last column compares it with the
DynamoDB client alone. test/service/lib/budgets.ts limits the sizes.`,
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
      goals(
        ...['widget-routes-session-create', 'widget-routes-widget-init'].map(
          (name) => [`${name}: CPU ratio to the DynamoDB client`, ofReference(name), { max: 1.3 }] as const,
        ),
      ),
    ],
  };
}

/** Bundles the handler of comparison with the unchanged SDK and its complete search for credentials. @returns the bundle */
function bundledReference(folder: string): string {
  const bundle = join(folder, 'reference', 'index.mjs');
  buildSync({ ...BUNDLE, entryPoints: [join(import.meta.dirname, 'dynamodb-handler.ts')], outfile: bundle });
  return bundle;
}

const IMPORT_TIME = join(import.meta.dirname, 'import-time.ts');

/** Imports a bundle in a new process. An import calls no AWS service, so nothing listens at their address. @returns the milliseconds that it takes */
function importTime(bundle: string, variables: object): { readonly wall: number; readonly cpu: number } {
  const env = { PATH: process.env.PATH, ...variables, ...awsEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:1') };
  return JSON.parse(execFileSync(process.execPath, [IMPORT_TIME, bundle], { env, encoding: 'utf8' }));
}
