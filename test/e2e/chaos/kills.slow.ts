import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand, ListQueuesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { functionIds, functionOf } from '../acceptance/local-service.ts';
import { startTestSystem, type TestSystem } from '../events/test-system.ts';
import { type Kill, recoveryReport, recoveryTimes } from './recovery.ts';

/** Kills the router and the dispatcher 500 times, at random, during a stream of events. Beside slow and failing endpoints: killed-dispatcher.slow.ts. */

const KILLS = 500;
/** As in killed-dispatcher.slow.ts: an interrupted message is soon visible again, and its attempt counts as cut off after 20 s. */
const VISIBILITY_SECONDS = 11;
/** A message needs more receives than in production, because the test kills a function twice a second. */
const MAX_RECEIVES = 100;

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
  const { QueueUrls = [] } = await system.sqs.send(new ListQueuesCommand({}));
  for (const QueueUrl of QueueUrls) {
    const { Attributes = {} } = await system.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] }),
    );
    if (!Attributes.RedrivePolicy) continue;
    const RedrivePolicy = JSON.stringify({ ...JSON.parse(Attributes.RedrivePolicy), maxReceiveCount: MAX_RECEIVES });
    const changed = { VisibilityTimeout: String(VISIBILITY_SECONDS), RedrivePolicy };
    await system.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: changed }));
  }
}, 60_000);
afterAll(() => system?.stop());

test('after 500 kills, no event is lost, each event has one id, and every request is recorded', async () => {
  const { receiver, operator, cloud } = system;
  const org = await system.organization();
  receiver.answer('/fine', [200], () => pause(50, '{}'));
  const action = await system.eventAction(org.siteId, '/fine', ['message.sent']);
  const ids = functionIds(await serviceAssembly());
  const victims = ['EventRouter', 'Dispatcher'].map((name) => functionOf(ids, name));

  let over = false;
  let events = 0;
  const putAt: number[] = [];
  const stream = (async () => {
    while (!over) {
      putAt.push(Date.now());
      await operator.putEvent({
        name: 'message.sent',
        orgId: org.orgId,
        siteId: org.siteId,
        data: { event: events++ },
      });
      await pause(100);
    }
  })();
  const kills: Kill[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(100 + Math.random() * 800);
    const victim = victims[kill % 2] ?? '';
    kills.push({ victim, at: Date.now() });
    await cloud.killFunction(victim);
  }
  over = true;
  await stream;

  await until(async () => {
    const records = await operator.deliveries(action);
    return (
      new Set(records.map(({ reference }) => reference)).size >= events &&
      records.every(({ state }) => state === 'succeeded')
    );
  }, 180_000);
  const idsOfEvent = new Map<number, Set<string>>();
  const requests = new Map<string, number>();
  const arrivedAt = new Map<number, number>();
  for (const { body, at } of receiver.to('/fine')) {
    const { id, data }: { id: string; data: { event: number } } = JSON.parse(body.toString());
    idsOfEvent.set(data.event, (idsOfEvent.get(data.event) ?? new Set()).add(id));
    if (!arrivedAt.has(data.event)) arrivedAt.set(data.event, at);
    requests.set(id, (requests.get(id) ?? 0) + 1);
  }
  const times = putAt.map((time, event) => ({ putAt: time, arrivedAt: arrivedAt.get(event) }));
  console.info(recoveryReport(kills, recoveryTimes(kills, times)));
  expect(idsOfEvent.size).toBe(events);
  expect([...idsOfEvent.values()].every((one) => one.size === 1)).toBe(true);
  const sends = new Map((await operator.deliveries(action)).map((record) => [record.reference, record.sends]));
  for (const [id, count] of requests) expect(count).toBeLessThanOrEqual(sends.get(id) ?? 0);
  expect([...sends.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(events);
}, 900_000);
