import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { operatorOf } from '../../local/demo/operator.ts';
import { startLocalCloud } from '../../local/local-cloud.ts';
import { receiverCertificates } from '../../local/receiver-certificates.ts';
import { assembleService } from '../../local/service-assembly.ts';
import { createAction } from '../../src/domain/actions/manage-actions.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import type { Table } from '../report.ts';
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
export const LOCAL_SETTING = {
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

type Times = { readonly p50: number; readonly p90: number };

/** Runs the same load in the model and in the local cloud: one Action of twenty takes 0.4 s and fails. */
export async function checkAgainstLocalCloud(): Promise<Table> {
  const rows: (readonly (string | number)[])[] = [];
  for (const eventsPerSecond of RATES) {
    const [model] = simulate({ ...LOCAL_SETTING, eventsPerSecond }, [0]);
    const local = await runLocally(eventsPerSecond);
    rows.push([`${eventsPerSecond}/s`, model?.p50 ?? Number.NaN, model?.p90 ?? Number.NaN, local.p50, local.p90]);
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

async function runLocally(eventsPerSecond: number): Promise<Times> {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-simulate-'));
  const certificates = receiverCertificates(folder);
  const answeredAt = new Map<string, number>();
  const server = createServer({ cert: certificates.certificate, key: certificates.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      if (request.url === '/hangs') {
        await pause(LOCAL_SETTING.hangsFor * 1000);
        response.writeHead(503).end();
        return;
      }
      await pause(LOCAL_SETTING.answersAfter * 1000);
      answeredAt.set(JSON.parse(Buffer.concat(chunks).toString()).data.mark, Date.now());
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const assembly = join(folder, 'assembly');
  await assembleService(assembly, { deliveryConcurrency: LOCAL_SETTING.dispatcher });
  const cloud = await startLocalCloud({ data: join(folder, 'cloud'), assembly, authorities: [certificates.caFile] });
  const operator = operatorOf(cloud);
  try {
    const { org_id } = await createOrganization({ name: 'Simulation', plan: 'paid' }, operator.management);
    const sites: string[] = [];
    for (let index = 0; index < ACTIONS; index++) {
      const site = { name: `Site ${index}`, domain: 'a.example', hourly_rate_limit: 1000 };
      const { site_id } = await createAssistant(org_id, site, operator.management);
      const url = `https://localhost:${port}${index === 0 ? '/hangs' : '/fine'}`;
      await createAction(
        site_id,
        { trigger: 'Event', name: 'All', url, events: ['message.sent'] },
        operator.management,
      );
      sites.push(site_id);
    }
    const sentAt = new Map<string, number>();
    for (let event = 0; event < SECONDS * eventsPerSecond; event++) {
      const index = Math.floor(Math.random() * ACTIONS);
      const mark = `${event}`;
      if (index !== 0) sentAt.set(mark, Date.now());
      void operator.publish({ event: 'message.sent', org_id, site_id: sites[index] ?? '', data: { mark } });
      await pause((-Math.log(1 - Math.random()) * 1000) / eventsPerSecond);
    }
    const end = Date.now() + 90_000;
    while ([...sentAt.keys()].some((mark) => !answeredAt.has(mark)) && Date.now() < end) await pause(100);
    const latencies = [...sentAt].map(([mark, at]) => ((answeredAt.get(mark) ?? Number.POSITIVE_INFINITY) - at) / 1000);
    return { p50: percentile(latencies, 0.5), p90: percentile(latencies, 0.9) };
  } finally {
    await cloud.stop();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
