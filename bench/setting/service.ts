import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { connect, readReadyFile } from '../../cli/connection.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';
import { createActions } from './bench-actions.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const START: readonly string[] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  .scripts.start.replace(/^node /, '')
  .split(' ');
/** Connections to the bus, as many as a burst has senders. */
const CONNECTIONS = 64;

export type Service = Awaited<ReturnType<typeof startService>>;

type Options = {
  readonly endpoints: readonly string[];
  readonly authorityFile: string;
  /** A folder for its state, empty at first; a restart continues with it. */
  readonly folder: string;
};

type Running = Awaited<ReturnType<typeof start>>;

/** Starts `npm start -- --no-demo` with one organization, and an assistant with an Event Action for each endpoint. */
export async function startService(options: Options) {
  let serviceProcess = await start(options);
  const deployment = await connect({ local: serviceProcess.readyFile });
  const { orgId, siteIds } = await createActions(options.endpoints, deployment);
  return {
    /** Puts an event for one endpoint on the bus, as the platform does. @throws Error unless the bus accepts it */
    send: async (endpoint: number, payload: object): Promise<void> => {
      const { access_key_id, region, outputs } = serviceProcess.ready;
      const detail = { org_id: orgId, site_id: siteIds[endpoint], data: payload };
      const entry = { EventBusName: outputs[OUTPUTS.eventBus], Source: 'bench', DetailType: 'message.sent' };
      const body = JSON.stringify({ Entries: [{ ...entry, Detail: JSON.stringify(detail) }] });
      const headers = {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSEvents.PutEvents',
        // The one-machine service identifies the caller by the access key. A signature would only cost processor time.
        authorization: `AWS4-HMAC-SHA256 Credential=${access_key_id}/20200101/${region}/events/aws4_request, SignedHeaders=host, Signature=0`,
      };
      const answer = await serviceProcess.bus.request({ method: 'POST', path: '/', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || !text.includes('"FailedEntryCount":0')) throw new Error(text);
    },
    /** Returns the id of its process. Its child processes count as well. */
    process: () => serviceProcess.child.pid ?? 0,
    crash: async (): Promise<void> => {
      await end(serviceProcess, 'SIGKILL');
      serviceProcess = await start(options);
    },
    stop: () => end(serviceProcess, 'SIGTERM'),
  };
}

async function start({ folder, authorityFile }: Options) {
  const readyFile = join(folder, 'ready.json');
  rmSync(readyFile, { force: true });
  const words = ['--no-demo', '--port', '0', '--data', join(folder, 'data'), '--ready-file', readyFile];
  const child = spawn(process.execPath, [...START, ...words, '--ca', authorityFile], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!existsSync(readyFile)) {
    await pause(20);
    // A signal that ends it, as for want of memory, leaves no code.
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`va-wave ended with ${ended}`);
  }
  const ready = await readReadyFile(readyFile);
  return { child, ready, readyFile, bus: new Pool(ready.gateway_url, { connections: CONNECTIONS }) };
}

async function end({ child, bus }: Running, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  await bus.destroy();
}
