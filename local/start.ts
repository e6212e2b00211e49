import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { numberFrom } from '../cli/values.ts';
import { CloudError } from './cloud/cloud-error.ts';
import { writeReadyFiles } from './cloud/ready-file.ts';
import type { RunningDemo } from './demo/demo.ts';
import { type LocalCloud, startLocalCloud } from './local-cloud.ts';
import { lostEvents } from './lost-events.ts';

type Options = {
  readonly data: string;
  readonly port: number;
  readonly readyFile?: string;
  readonly demo: boolean;
  readonly ca: readonly string[];
  readonly hostName: readonly string[];
  readonly strict: boolean;
  readonly refuseLostEvents: boolean;
};

const DEFAULT_PORT = 8787;
const addFile = (file: string, files: readonly string[]) => [...files, resolve(file)];
const addName = (name: string, names: readonly string[]) => [...names, name.toLowerCase()];

const program = new Command('npm start --')
  .description('Runs the whole service on this machine, from the same definition that is deployed to AWS.')
  .option('--data <folder>', 'folder that keeps the state between runs', '.local')
  .option('--port <number>', 'port of the service on 127.0.0.1; 0 = any', numberFrom(0, 65_535), DEFAULT_PORT)
  .option('--ready-file <file>', 'write the URLs and keys to this file as JSON when the service is ready')
  .option('--no-demo', 'start without the demo site and its receiver')
  .option('--ca <file>', 'trust this certificate authority (PEM) besides the public ones; may be repeated', addFile, [])
  .option('--host-name <name>', 'answer also under this name, as of a tunnel; may be repeated', addName, [])
  .option('--strict', 'run the bundles that are deployed, which refuse endpoints on loopback', false)
  .option('--refuse-lost-events', 'refuse an event that reaches no Action, which the bus of AWS accepts', false)
  .showHelpAfterError();

function untilSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, () => done());
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// Only this user may read the files that this process and the engines write.
process.umask(0o077);
// During the start, a signal ends the process immediately, with the exit code of Ctrl-C. The engine and the lock end with it.
for (const signal of SIGNALS) process.on(signal, () => process.exit(130));

async function main(): Promise<void> {
  const startedAt = performance.now();
  const options = program.parse().opts<Options>();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000;
  const printStep = (what: string) => console.error(`${elapsedSeconds().toFixed(1).padStart(5)} s  ${what} …`);
  const demo = options.demo && !options.strict ? await import('./demo/demo.ts') : undefined;
  await using stops = new AsyncDisposableStack();
  const cloud = await startLocalCloud({
    data: options.data,
    port: options.port,
    hostNames: options.hostName,
    strict: options.strict,
    authorities: options.ca,
    onStep: printStep,
    print: (line) => console.error(line),
    checkEvent: lostEvents(options.refuseLostEvents, (line) => console.error(line)),
  });
  stops.defer(cloud.stop);
  if (demo !== undefined) printStep('Preparing the demo: a customer with a website and a receiver');
  const runningDemo = await demo?.startDemo(cloud);
  if (runningDemo !== undefined) stops.defer(runningDemo.stop);
  const { certificate } = cloud;
  const ready = {
    base_url: cloud.baseUrl,
    api_url: cloud.apiUrl,
    gateway_url: cloud.gatewayUrl,
    region: cloud.region,
    access_key_id: cloud.credentials.accessKeyId,
    secret_access_key: cloud.credentials.secretAccessKey,
    outputs: cloud.outputs,
    demo: runningDemo?.urls ?? {},
    // A receiver on this machine can use this certificate.
    receiver_tls: certificate && { certificate: certificate.certificateFile, key: certificate.keyFile },
    data_folder: cloud.dataDir,
  };
  stops.defer(writeReadyFiles([join(cloud.dataDir, 'ready.json'), options.readyFile ?? []].flat(), ready));
  announce(cloud, runningDemo, options.strict, elapsedSeconds());
  await untilSignal();
  console.log('Stopping …');
}

function announce(cloud: LocalCloud, demo: RunningDemo | undefined, strict: boolean, seconds: number): void {
  const lines = [
    `va-wave is ready after ${seconds.toFixed(1)} s`,
    `  service    ${cloud.baseUrl}`,
    `  API        ${cloud.apiUrl}`,
    `  AWS        ${cloud.gatewayUrl}`,
    `  state      ${cloud.dataDir}`,
    `  logs       ${cloud.logsFolder}`,
    ...Object.entries(demo?.urls ?? {}).map(([name, url]) => `  ${name.padEnd(10)} ${url}`),
    ...(demo?.tips ?? []),
    ...(strict ? ['Strict: the service refuses endpoints on this machine, so the demo does not run.'] : []),
    'Press Ctrl-C to stop the service.',
  ];
  console.log(lines.join('\n'));
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error instanceof CloudError ? error.message : error);
  process.exit(1);
}
