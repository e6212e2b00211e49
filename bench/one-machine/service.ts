import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { operatorOf } from '../../local/demo/operator.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { createAction } from '../../src/domain/actions/manage-actions.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The arguments with which `npm start` calls Node. */
const START: readonly string[] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  .scripts.start.replace(/^node /, '')
  .split(' ');
const CONNECTIONS = 64;

/** The service under test, running. */
export type Service = {
  /** Sends one event for one endpoint. @throws Error unless the service confirms that it has accepted the event */
  send(endpoint: number, payload: object): Promise<void>;
  /** Returns the id of its process. Its child processes count as well. */
  processes(): readonly number[];
  /** Ends the service with SIGKILL and restarts it. */
  crash(): Promise<void>;
  stop(): Promise<void>;
};

type ServiceOptions = {
  readonly endpoints: readonly string[];
  /** PEM file of the authority that signed the endpoints' certificate. */
  readonly authorityFile: string;
  /** An empty folder for its state. */
  readonly folder: string;
};

type Ready = {
  readonly base_url: string;
  readonly api_url: string;
  readonly gateway_url: string;
  readonly region: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly outputs: Readonly<Record<string, string>>;
};
type Running = { readonly child: ChildProcess; readonly ready: Ready; readonly bus: Pool };

/**
 * Starts `npm start -- --no-demo` with one organization, and an assistant with an Event Action for each endpoint. It puts events on the
 * bus as the platform does.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  let running = await start(options);
  const { org_id, sites } = await configure(running.ready, options.endpoints);
  return {
    send: async (endpoint, payload) => {
      const { ready, bus } = running;
      const detail = { org_id, site_id: sites[endpoint], data: payload };
      const entry = { EventBusName: ready.outputs[OUTPUTS.eventBus], Source: 'bench', DetailType: 'message.sent' };
      const body = JSON.stringify({ Entries: [{ ...entry, Detail: JSON.stringify(detail) }] });
      const headers = {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSEvents.PutEvents',
        // The one-machine service identifies the caller by the access key. A signature would only cost processor time.
        authorization: `AWS4-HMAC-SHA256 Credential=${ready.access_key_id}/20200101/${ready.region}/events/aws4_request, SignedHeaders=host, Signature=0`,
      };
      const answer = await bus.request({ method: 'POST', path: '/', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || !text.includes('"FailedEntryCount":0')) throw new Error(text);
    },
    processes: () => [running.child.pid ?? 0],
    crash: async () => {
      await end(running, 'SIGKILL');
      running = await start(options);
    },
    stop: () => end(running, 'SIGTERM'),
  };
}

async function start({ folder, authorityFile }: ServiceOptions): Promise<Running> {
  const readyFile = join(folder, 'ready.json');
  rmSync(readyFile, { force: true });
  const words = ['--no-demo', '--port', '0', '--data', join(folder, 'data'), '--ready-file', readyFile];
  const child = spawn(process.execPath, [...START, ...words, '--ca', authorityFile], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`va-wave ended with ${code}`);
  });
  // The loop below reports an early end. After it, the end of the process is expected.
  ended.catch(() => {});
  for (;;) {
    const ready = readyFrom(readyFile);
    if (ready !== undefined) return { child, ready, bus: new Pool(ready.gateway_url, { connections: CONNECTIONS }) };
    await Promise.race([pause(20), ended]);
  }
}

function readyFrom(file: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

async function end({ child, bus }: Running, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  await bus.destroy();
}

async function configure(ready: Ready, endpoints: readonly string[]) {
  const { management } = operatorOf({
    baseUrl: ready.base_url,
    apiUrl: ready.api_url,
    gatewayUrl: ready.gateway_url,
    region: ready.region,
    credentials: { accessKeyId: ready.access_key_id, secretAccessKey: ready.secret_access_key },
    outputs: ready.outputs,
    dataDir: '',
  });
  const { org_id } = await createOrganization({ name: 'Bench', plan: 'paid' }, management);
  const sites: string[] = [];
  for (const [index, url] of endpoints.entries()) {
    const site = { name: `Site ${index}`, domain: 'a.example', hourly_rate_limit: 1000 };
    const { site_id } = await createAssistant(org_id, site, management);
    await createAction(site_id, { trigger: 'Event', name: 'All', url, events: ['message.sent'] }, management);
    sites.push(site_id);
  }
  return { org_id, sites };
}
