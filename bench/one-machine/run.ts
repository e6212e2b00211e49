import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { startReceiver } from '../setting/receiver.ts';
import { type Bench, burst, crash, hang, type Row, steady } from './measure.ts';
import { type Service, startService } from './service.ts';

// Measures the service on one machine (README.md in this folder).

const MEASUREMENTS: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = { steady, burst, hang, crash };
const ENDPOINTS = 10;
/** Events before the first measurement, so that the first start does not count. */
const WARM_UP_EVENTS = 200;

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('A whole number.');
  return Number(text);
};

const program = new Command('node bench/one-machine/run.ts')
  .description('Sends 1 kB events for ten HTTPS endpoints to the service and prints its figures.')
  .argument('[measurements...]', `${Object.keys(MEASUREMENTS).join(', ')} (default: all)`)
  .option('--events <number>', 'events of the burst, and of the steady load at 50 per second', wholeNumber, 3000);

const chosen = program.parse().args;
const { events } = program.opts<{ readonly events: number }>();
const unknown = chosen.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) program.error(`Unknown measurement: ${unknown.join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'one-machine-'));
const receiver = await startReceiver(folder, { endpoints: ENDPOINTS, records: true });
let service: Service | undefined;
try {
  service = await startService({ endpoints: receiver.urls, authorityFile: receiver.authorityFile, folder });
  const bench: Bench = { service, receiver, endpoints: ENDPOINTS, events };
  await burst({ ...bench, events: WARM_UP_EVENTS });
  console.log(`| ${cpus().length} cores, ${events} events of 1 kB, ${ENDPOINTS} endpoints | va-wave |\n| --- | --- |`);
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    receiver.reset();
    for (const [what, value] of await measure(bench)) console.log(`| ${what} | ${value} |`);
  }
} finally {
  await service?.stop();
  receiver.stop();
  rmSync(folder, { recursive: true, force: true });
}
