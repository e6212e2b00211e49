import { mkdtempDisposableSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosenMeasurementsOf } from '../report.ts';
import { startReceiver } from '../setting/bench-receiver.ts';
import { startService } from '../setting/service.ts';
import { type Bench, burst, crash, hang, type MeasuredRow, steady } from './measure.ts';

// Measures the service on one machine (README.md in this folder).

const MEASUREMENTS: Readonly<Record<string, (bench: Bench) => Promise<MeasuredRow[]>>> = { steady, burst, hang, crash };
const ENDPOINTS = 10;
/** Events of the burst, and of the steady load at 50 per second. */
const EVENTS = 3000;
/** Events before the first measurement, so that the first start does not count. */
const WARM_UP_EVENTS = 200;

const chosenMeasurements = chosenMeasurementsOf(MEASUREMENTS);
await using stops = new AsyncDisposableStack();
const folder = stops.use(mkdtempDisposableSync(join(tmpdir(), 'one-machine-'))).path;
const receiver = await startReceiver(folder, { endpoints: ENDPOINTS, records: true });
stops.defer(receiver.stop);
const { authorityFile, urls } = receiver;
const service = await startService({ endpoints: urls, authorityFile, folder });
stops.defer(service.stop);
const bench: Bench = { service, receiver, endpoints: [...urls.keys()], events: EVENTS };
await burst({ ...bench, events: WARM_UP_EVENTS });
console.log(`| ${cpus().length} cores, ${EVENTS} events of 1 kB, ${ENDPOINTS} endpoints | va-wave |\n| --- | --- |`);
for (const [, measure] of chosenMeasurements) {
  receiver.reset();
  for (const [what, value] of await measure(bench)) console.log(`| ${what} | ${value} |`);
}
