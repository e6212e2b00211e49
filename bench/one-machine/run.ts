import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Bench, burst, crash, hang, type Row, soak, steady } from './measure.ts';
import { startReceiver } from './receiver.ts';
import type { Target, TargetOptions } from './target.ts';
import { startOutpost } from './targets/outpost.ts';
import { startSvix } from './targets/svix.ts';
import { startVaWave } from './targets/va-wave.ts';

// Measures one system on one machine, with the same load for each system (README.md in this folder).

const MEASUREMENTS: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = { steady, burst, hang, crash, soak };
/** These run only when they are named. */
const ON_REQUEST: ReadonlySet<string> = new Set(['soak']);
const ENDPOINTS = 10;
/** Events before the first measurement, so that no system's first start counts. */
const WARM_UP_EVENTS = 200;

type Options = {
  readonly target: 'va-wave' | 'svix' | 'outpost';
  readonly events: number;
  readonly minutes: number;
  readonly binary?: string;
};

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('A whole number.');
  return Number(text);
};

const program = new Command('node bench/one-machine/run.ts')
  .description('Sends 1 kB events for ten HTTPS endpoints to one system and prints its figures.')
  .argument('[measurements...]', `${Object.keys(MEASUREMENTS).join(', ')} (default: all except soak)`)
  .addOption(
    new Option('--target <name>', 'the system to measure').choices(['va-wave', 'svix', 'outpost']).default('va-wave'),
  )
  .option('--events <number>', 'events of the burst, and of the steady load at 50 per second', wholeNumber, 3000)
  .option('--minutes <number>', 'length of the soak', wholeNumber, 10)
  .option('--binary <path>', 'path of the program of Svix or Outpost');

const chosen = program.parse().args;
const options = program.opts<Options>();
const unknown = chosen.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) program.error(`Unknown measurement: ${unknown.join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'one-machine-'));
const receiver = await startReceiver(folder, ENDPOINTS);
let target: Target | undefined;
try {
  target = await startTarget({ endpoints: receiver.urls, authorityFile: receiver.authorityFile, folder });
  const bench: Bench = { target, receiver, endpoints: ENDPOINTS, events: options.events, minutes: options.minutes };
  await burst({ ...bench, events: WARM_UP_EVENTS });
  console.log(
    `| ${cpus().length} cores, ${options.events} events of 1 kB, ${ENDPOINTS} endpoints | ${options.target} |\n| --- | --- |`,
  );
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (chosen.length === 0 ? ON_REQUEST.has(name) : !chosen.includes(name)) continue;
    receiver.reset();
    for (const [what, value] of await measure(bench)) console.log(`| ${what} | ${value} |`);
  }
} finally {
  await target?.stop();
  receiver.stop();
  rmSync(folder, { recursive: true, force: true });
}

function startTarget(targetOptions: TargetOptions): Promise<Target> {
  if (options.target === 'va-wave') return startVaWave(targetOptions);
  if (options.binary === undefined) return program.error(`${options.target} needs --binary`);
  const start = { svix: startSvix, outpost: startOutpost }[options.target];
  return start(options.binary, targetOptions);
}
