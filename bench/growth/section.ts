import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { createAction } from '../../src/domain/actions/manage-actions.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { ratioGoal, type Section } from '../report.ts';
import { bundledFunctions, bundleOf } from '../setting/functions.ts';
import { lambdaContext, type SqsHandler, sqsEvent } from '../setting/invocation.ts';
import { type Storage, startStorage } from '../setting/storage.ts';
import { median } from '../statistics.ts';

const ACTIONS_EACH = 10;
const ROUNDS = 60;

type Cost = { readonly ms: number; readonly cpuMs: number };

/** Measures the cost of routing an event by the number of organizations, the number of subscribers and the size of the event. */
export async function growth(folder: string): Promise<Section> {
  const storage = await startStorage(folder);
  try {
    Object.assign(process.env, storage.environment, { POWERTOOLS_LOG_LEVEL: 'ERROR' });
    const bundle = bundleOf(await bundledFunctions(folder, false), 'event-router');
    const { handler }: { handler: SqsHandler } = await import(bundle);
    const { orgId, siteId } = await organization(storage, ACTIONS_EACH);
    const ofEvent = (rows: number, org = { orgId, siteId }) => cost(handler, event(org, rows));
    // The first events include compilation and do not count.
    for (let warmUp = 0; warmUp < 10; warmUp++) await ofEvent(10);

    const byOrganizations: [number, Cost][] = [];
    let existing = 1;
    for (const wanted of [1, 10, 100, 1000]) {
      await fillOrganizations(storage, orgId, wanted - existing);
      existing = wanted;
      // V8 still collects what the process has just written, so these events do not count.
      await ofEvent(10);
      byOrganizations.push([wanted, await ofEvent(10)]);
    }
    const bySubscribers: [number, Cost][] = [];
    for (const subscribers of [1, 10, 25, 50]) {
      bySubscribers.push([subscribers, await ofEvent(10, await organization(storage, subscribers))]);
    }
    const one = await organization(storage, 1);
    const bySize: [number, Cost][] = [];
    for (const kilobytes of [1, 16, 64, 256, 1000]) {
      bySize.push([kilobytes, await ofEvent(Math.round((kilobytes * 1000 - 350) / 48), one)]);
    }
    const cpu = (costs: readonly [number, Cost][], key: number) =>
      costs.find(([at]) => at === key)?.[1].cpuMs ?? Number.NaN;
    const rows = (costs: readonly [number, Cost][], each: (key: number) => number) =>
      costs.map(([key, { ms, cpuMs }]) => [String(key), ms, cpuMs, cpuMs / each(key)]);
    return {
      title: 'Growth',
      method: `The deployed bundle of the event-router processes one event at a time, with DynamoDB in another process and a queue that accepts every
message. CPU time is that of the function's process. Figures are medians of ${ROUNDS} events. An organization has ${ACTIONS_EACH} Actions, all subscribed,
unless a row says otherwise.`,
      tables: [
        {
          columns: ['Organizations', 'ms', 'CPU ms', 'CPU ms per delivery'],
          rows: rows(byOrganizations, () => ACTIONS_EACH),
        },
        { columns: ['Subscribed Actions', 'ms', 'CPU ms', 'CPU ms per delivery'], rows: rows(bySubscribers, (n) => n) },
        { columns: ['kB of the event', 'ms', 'CPU ms', 'CPU ms per kB'], rows: rows(bySize, (n) => n) },
      ],
      goals: [
        ratioGoal(
          'CPU per event: ratio of 1000 organizations to 1',
          cpu(byOrganizations, 1000) / cpu(byOrganizations, 1),
          {
            max: 1.2,
          },
        ),
        ratioGoal(
          'CPU per delivery: ratio of 50 subscribers to 1',
          cpu(bySubscribers, 50) / 50 / cpu(bySubscribers, 1),
          {
            max: 1,
          },
        ),
        ratioGoal('CPU per kB: ratio of 1000 kB to 64 kB', cpu(bySize, 1000) / 1000 / (cpu(bySize, 64) / 64), {
          max: 1,
        }),
      ],
    };
  } finally {
    await storage.stop();
  }
}

async function cost(handler: SqsHandler, body: object): Promise<Cost> {
  const measured: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const input = sqsEvent([JSON.stringify(body)]);
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    const { batchItemFailures } = await handler(input, lambdaContext());
    const { user, system } = process.cpuUsage(cpu);
    if (batchItemFailures.length > 0) throw new Error('The event-router returned the event to the queue');
    measured.push({ ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 });
  }
  return { ms: median(measured.map(({ ms }) => ms)), cpuMs: median(measured.map(({ cpuMs }) => cpuMs)) };
}

const event = ({ orgId, siteId }: { orgId: string; siteId: string }, rows: number) => ({
  id: randomUUID(),
  'detail-type': 'message.sent',
  time: '2026-03-04T05:06:07Z',
  detail: {
    org_id: orgId,
    site_id: siteId,
    data: { messages: Array.from({ length: rows }, (_, row) => ({ row: 10_000 + row, text: 'How can I help you?' })) },
  },
});

async function organization({ management }: Storage, actions: number) {
  const { org_id: orgId } = await createOrganization({ name: 'Bench', plan: 'paid' }, management);
  const site = { name: 'Bench', domain: 'a.example', hourly_rate_limit: 1000 };
  const { site_id: siteId } = await createAssistant(orgId, site, management);
  for (let action = 0; action < actions; action++) {
    const input = {
      trigger: 'Event',
      name: `Action ${action}`,
      url: 'https://a.example/hook',
      events: ['message.sent'],
    };
    await createAction(siteId, input, management);
  }
  return { orgId, siteId };
}

/** Adds organizations with the Actions of this one. It writes the items directly, because the use cases would take minutes. */
async function fillOrganizations({ documents, management }: Storage, orgId: string, count: number): Promise<void> {
  const [action] = (await management.store.listActions(orgId)).actions;
  const items = Array.from({ length: count * ACTIONS_EACH }, (_, index) => {
    const pk = `ORG#bench-${randomUUID().slice(0, 8)}-${Math.floor(index / ACTIONS_EACH)}`;
    return { PutRequest: { Item: { pk, sk: `ACTION#${index}`, action } } };
  });
  for (let start = 0; start < items.length; start += 25) {
    await documents.send(new BatchWriteCommand({ RequestItems: { configuration: items.slice(start, start + 25) } }));
  }
}
