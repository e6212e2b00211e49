import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { assembleService } from '../../local/service-assembly.ts';
import type { Table } from '../report.ts';
import { Load } from '../setting/load.ts';
import { startReceiver } from '../setting/receiver.ts';
import { startService } from '../setting/service.ts';
import { percentile } from '../statistics.ts';
import { simulate } from './model.ts';

const ACTIONS = 20;
const SECONDS = 40;
/** Events per second. At the second rate the load needs all four invocations. */
const RATES = [10, 60];
/**
 * The setting of the local cloud. Its functions have a whole core. No group has enough messages in flight to be noisy, and each message
 * is in flight for too short a time to make its group slow.
 */
const LOCAL_SETTING = {
  share: 1 / ACTIONS,
  hangsFrom: 0,
  hangsFor: 0.4,
  answersAfter: 0.1,
  router: 20,
  dispatcher: 4,
  routing: { one: 0, ten: 0 },
  workPerMessage: 0.003,
  tableWrites: Number.POSITIVE_INFINITY,
  logKeys: 16,
  duration: SECONDS,
} as const;

/** Runs the same load in the model and in the local cloud: one Action of twenty takes 0.4 s and fails. */
export async function checkAgainstLocalCloud(): Promise<Table> {
  const rows: (readonly (string | number)[])[] = [];
  for (const eventsPerSecond of RATES) {
    const [model] = simulate({ ...LOCAL_SETTING, eventsPerSecond }, [0]);
    const local = await secondsInLocalCloud(eventsPerSecond);
    rows.push([
      `${eventsPerSecond}/s`,
      model?.p50 ?? Number.NaN,
      model?.p90 ?? Number.NaN,
      percentile(local, 0.5),
      percentile(local, 0.9),
    ]);
  }
  return {
    columns: [
      `One of ${ACTIONS} takes ${LOCAL_SETTING.hangsFor} s and fails, ${LOCAL_SETTING.dispatcher} concurrent invocations`,
      'model, p50 s',
      'p90 s',
      'local cloud, p50 s',
      'p90 s',
    ],
    rows,
  };
}

/** Returns the seconds from each event of the other Actions to its answer. */
async function secondsInLocalCloud(eventsPerSecond: number): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-simulate-'));
  const assembly = join(folder, 'assembly');
  await assembleService(assembly, { deliveryConcurrency: LOCAL_SETTING.dispatcher });
  const receiver = await startReceiver(folder, { records: true });
  const after = (seconds: number, more = '') => new URL(`/after/${seconds * 1000}${more}`, receiver.urls[0]).href;
  const answering = Array.from({ length: ACTIONS - 1 }, () => after(LOCAL_SETTING.answersAfter));
  const endpoints = [after(LOCAL_SETTING.hangsFor, '/failing'), ...answering];
  const service = await startService({ endpoints, authorityFile: receiver.authorityFile, folder, assembly });
  try {
    const [hanging, others] = [new Load(service, receiver), new Load(service, receiver)];
    for (let event = 0; event < SECONDS * eventsPerSecond; event++) {
      const endpoint = Math.floor(Math.random() * ACTIONS);
      void (endpoint === 0 ? hanging : others).send(endpoint);
      await pause((-Math.log(1 - Math.random()) * 1000) / eventsPerSecond);
    }
    await others.missing();
    return others.latencies().map((milliseconds) => milliseconds / 1000 + LOCAL_SETTING.answersAfter);
  } finally {
    await service.stop();
    receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
