import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { operatorOf } from '../../local/demo/operator.ts';
import { startLocalCloud } from '../../local/local-cloud.ts';
import { createAction } from '../../src/domain/actions/manage-actions.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import type { Goal, Section } from '../report.ts';
import { microseconds, startReceiver } from '../setting/receiver.ts';
import { percentile } from '../statistics.ts';

const EVENTS = 300;
const PER_SECOND = 20;
const FAILING = 30;

/** Measures the time from PutEvents to the customer's endpoint through the whole service. */
export async function endToEnd(folder: string): Promise<Section> {
  const receiver = await startReceiver(folder, { records: true });
  const cloud = await startLocalCloud({ data: join(folder, 'cloud'), authorities: [receiver.authorityFile] });
  const operator = operatorOf(cloud);
  try {
    const { org_id } = await createOrganization({ name: 'Bench', plan: 'paid' }, operator.management);
    const site = { name: 'Bench', domain: 'a.example', hourly_rate_limit: 1000 };
    const { site_id } = await createAssistant(org_id, site, operator.management);
    const action = (path: string, event: string) =>
      createAction(
        site_id,
        { trigger: 'Event', name: path, url: new URL(path, receiver.urls[0]).href, events: [event] },
        operator.management,
      );
    await action('/fine', 'message.sent');
    await action('/failing', 'message.received');
    const put = (event: 'message.sent' | 'message.received', mark: number) =>
      operator.publish({ event, org_id, site_id, data: { mark } });

    /** Microseconds of each arrival of an event. */
    const arrivalsOf = (mark: number) => receiver.arrivals.filter((one) => one.mark === mark).map(({ at }) => at);
    const arrived = (marks: Iterable<number>, times: number) => {
      const counts = Map.groupBy(receiver.arrivals, ({ mark }) => mark);
      return [...marks].every((mark) => (counts.get(mark)?.length ?? 0) >= times);
    };

    await put('message.sent', 0);
    await until(() => arrived([0], 1));
    const sentAt = new Map<number, number>();
    for (let mark = 1; mark <= EVENTS; mark++) {
      sentAt.set(mark, microseconds());
      void put('message.sent', mark);
      await pause(1000 / PER_SECOND);
    }
    await until(() => arrived(sentAt.keys(), 1));
    const latencies = [...sentAt].map(([mark, at]) => ((arrivalsOf(mark)[0] ?? Number.NaN) - at) / 1000);

    const failing = Array.from({ length: FAILING }, (_, event) => EVENTS + 1 + event);
    for (const mark of failing) {
      await put('message.received', mark);
      await pause(100);
    }
    await until(() => arrived(failing, 3));
    const pauses = [0, 1].map((retry) =>
      failing.map((mark) => {
        const times = arrivalsOf(mark);
        return ((times[retry + 1] ?? Number.NaN) - (times[retry] ?? Number.NaN)) / 1e6;
      }),
    );
    const [first = [], second = []] = pauses;
    const early = (sample: readonly number[], seconds: number) => sample.filter((one) => one < seconds - 0.1).length;
    return {
      title: 'End to end',
      method: `The whole stack runs in the local cloud and receives ${EVENTS} events at ${PER_SECOND} per second. The time runs from before PutEvents to
the arrival at the receiver. Then ${FAILING} events go to an endpoint that always answers 503. The queue engine of the local cloud, like SQS,
delivers a delayed message some time after it is due. No retry may start earlier than the specification says.`,
      tables: [
        {
          columns: ['PutEvents to receiver', 'p50 ms', 'p99 ms', 'maximum ms'],
          rows: [
            [`${PER_SECOND} events/s`, percentile(latencies, 0.5), percentile(latencies, 0.99), Math.max(...latencies)],
          ],
        },
        {
          columns: ['Delay before the retry', 'minimum s', 'p50 s', 'p99 s'],
          rows: [
            ['2 s', Math.min(...first), percentile(first, 0.5), percentile(first, 0.99)],
            ['4 s', Math.min(...second), percentile(second, 0.5), percentile(second, 0.99)],
          ],
        },
      ],
      goals: [
        noneGoal(`Lost events of ${EVENTS}`, latencies.filter(Number.isNaN).length),
        noneGoal('Retries more than 0.1 s too early', early(first, 2) + early(second, 4)),
      ],
    };
  } finally {
    await cloud.stop();
    receiver.stop();
  }
}

const noneGoal = (name: string, found: number): Goal => ({ name, goal: '0', found: String(found), met: found === 0 });

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('An event did not arrive within 60 s');
    await pause(20);
  }
}
