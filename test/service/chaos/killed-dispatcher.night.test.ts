import { setTimeout as pause } from 'node:timers/promises';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { functionIds, functionOf } from '../acceptance/local-service.ts';
import { startTestSystem, type TestSystem } from '../events/test-system.ts';

const EVENTS = 60;
const KILLS = 3;
/** Shorter than in the stack, so that an interrupted message is soon visible again. An attempt counts as cut off after 20 s. */
const VISIBILITY_SECONDS = 11;

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system?.stop());

test('a dispatcher that is killed several times beside slow endpoints loses no event, and sends only interrupted requests again', async () => {
  const { receiver, operator, cloud } = system;
  await system.sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: system.deliveriesQueue,
      Attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) },
    }),
  );
  const org = await system.organization();
  const slow = () => pause(600, '{}');
  const requests = () => [...receiver.to('/flaky'), ...receiver.to('/failing')];
  // The first endpoint finally accepts every event, the second endpoint none.
  receiver.answer('/flaky', [503, 200, 200, 503, 200, 200, 200], slow);
  receiver.answer('/failing', [503], slow);
  const flaky = await system.eventAction(org.siteId, '/flaky', ['message.sent']);
  const failing = await system.eventAction(org.siteId, '/failing', ['message.sent']);
  const dispatcher = functionOf(functionIds(await serviceAssembly()), 'Dispatcher');

  const killing = (async () => {
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = requests().length;
      await until(() => requests().length > before + 3);
      await cloud.killFunction(dispatcher);
    }
  })();
  for (let event = 0; event < EVENTS; event++) {
    await operator.putEvent({ name: 'message.sent', orgId: org.orgId, siteId: org.siteId, data: { event } });
    await pause(20);
  }
  await killing;

  const isOver = (records: readonly DeliveryRecord[]) => {
    const last = new Map<string, DeliveryRecord>();
    for (const record of [...records].reverse()) last.set(record.reference, record);
    return (
      last.size === EVENTS &&
      [...last.values()].every(({ state, success, attempt }) => state !== 'started' && (success || attempt === 3))
    );
  };
  await until(
    async () => isOver(await operator.deliveries(flaky)) && isOver(await operator.deliveries(failing)),
    100_000,
    1000,
  );

  let repeated = 0;
  for (const [action, path] of [
    [flaky, '/flaky'],
    [failing, '/failing'],
  ] as const) {
    const records = await operator.deliveries(action);
    const requestsOf = new Map<string, number>();
    const seen = new Set<number>();
    for (const { body } of receiver.to(path)) {
      const envelope: { id: string; data: { event: number } } = JSON.parse(body.toString());
      requestsOf.set(envelope.id, (requestsOf.get(envelope.id) ?? 0) + 1);
      seen.add(envelope.data.event);
    }
    // There are as many envelope ids as events: no event is lost or has a second id.
    expect(seen.size).toBe(EVENTS);
    expect(new Set(records.map((record) => record.reference))).toEqual(new Set(requestsOf.keys()));
    expect(requestsOf.size).toBe(EVENTS);
    for (const [id, requests] of requestsOf) {
      const attempts = records.filter((record) => record.reference === id);
      expect(attempts.length).toBeLessThanOrEqual(3);
      expect(attempts.every((record) => record.state !== 'started')).toBe(true);
      const sends = attempts.reduce((sum, record) => sum + record.sends, 0);
      const resumed = sends - attempts.length;
      // The log counts more sends than requests only when a kill came between the claim and the request.
      expect(requests).toBeLessThanOrEqual(sends);
      expect(requests).toBeGreaterThanOrEqual(attempts.length);
      if (resumed === 0) expect(requests).toBe(sends);
      repeated += resumed;
    }
  }
  // At least one kill must have interrupted an attempt. Otherwise the test proves nothing.
  expect(repeated).toBeGreaterThan(0);
  expect((await operator.deliveries(failing)).filter((record) => record.attempt === 3)).toHaveLength(EVENTS);
}, 300_000);
