import { randomUUID } from 'node:crypto';
import { logged } from '../../lambdas/invocation.ts';
import { type Chaos, type QueueFunction, startChaos } from './chaos-system.ts';
import type { Fault } from './faulty-services.ts';
import { LIMITERS, type Limiter, outboundQuota, type Verdict } from './limiters.ts';
import { consume } from './service-faults.ts';

/**
 * Tests every limit while only its counter cannot be written. Every limit refuses then, except the outbound quota, which allows.
 * Afterwards a limit allows exactly the rest: refused requests do not count.
 */
export function describeLimiterFaults(faults: readonly Fault[]): void {
  let chaos: Chaos;
  beforeAll(async () => {
    chaos = await startChaos();
  });
  afterEach(() => chaos.services.mend());
  afterAll(() => chaos.stop());

  const cases = Object.entries(LIMITERS).flatMap(([name, prepare]) =>
    faults.map((fault) => [name, fault, prepare] as const),
  );
  test.each(cases)('%s: refuses while its counter is %s, and is exact afterwards', async (_, fault, prepare) => {
    const limiter = await prepare(chaos);
    const { limit, counter, attempt } = limiter;
    expect((await oneByOne(limiter, 1)).result).toEqual(['passed']);
    const sent = chaos.receiver.to('/limited').length;

    chaos.services.fail('DynamoDB', fault, counter);
    const during = await logged(() => Promise.all(Array.from({ length: limit + 5 }, attempt)));
    expect(new Set(during.result)).toEqual(new Set(['fault']));
    expect(chaos.receiver.to('/limited')).toHaveLength(sent);

    chaos.services.mend();
    const { result: after } = await oneByOne(limiter, limit + 5);
    expect(after).toEqual(after.map((_, index) => (index < limit - 1 ? 'passed' : 'limited')));
  });

  test.each(faults)(
    "an organization's outbound quota: allows while its counter is %s, and is exact afterwards",
    async (fault) => {
      const limiter = await outboundQuota(chaos);
      expect((await oneByOne(limiter, 1)).result).toEqual(['passed']);
      const sent = chaos.receiver.to('/limited').length;

      chaos.services.fail('DynamoDB', fault, limiter.counter);
      // The attempts are sequential, as in a container: the end of one invocation would cut off another's requests.
      const during = await oneByOne(limiter, limiter.limit);
      expect(during.result).toEqual(['passed', 'passed', 'passed']);
      expect(during.log.match(/could not be counted/g)).toHaveLength(3);
      expect(chaos.receiver.to('/limited')).toHaveLength(sent + 3);

      chaos.services.mend();
      expect((await oneByOne(limiter, 4)).result).toEqual(['passed', 'passed', 'limited', 'limited']);
      expect(chaos.receiver.to('/limited')).toHaveLength(sent + 5);
    },
  );

  test.each(faults)(
    'failing endpoints are not reported while their counter is %s, and deliveries continue',
    async (fault) => {
      const path = `/watched-${fault}`;
      const settings = { trigger: 'Event', name: path, url: chaos.receiver.url(path), events: ['message.sent'] };
      const { action_id, org_id, site_id } = await chaos.createAction(settings);
      chaos.receiver.answer(path, [400]);
      const event = {
        id: randomUUID(),
        'detail-type': 'message.sent',
        time: new Date().toISOString(),
        detail: { org_id, site_id, data: {} },
      };
      await consume(await chaos.container('event-router'), [{ id: 'event', body: JSON.stringify(event) }]);
      const dispatcher = await chaos.container<QueueFunction>('dispatcher');

      chaos.services.fail('DynamoDB', fault, `failing#${action_id}`);
      const failedCalls = chaos.services.failedCalls();
      expect(await consume(dispatcher, chaos.services.deliveries.splice(0))).toEqual([]);
      expect(chaos.receiver.to(path)).toHaveLength(1);
      expect(await chaos.records(action_id)).toMatchObject([{ state: 'failed', status: 400 }]);
      expect(chaos.services.failedCalls()).toBeGreaterThan(failedCalls);
      expect(chaos.services.published.filter((body) => body.includes(action_id))).toEqual([]);
    },
  );
}

function oneByOne({ attempt }: Limiter, count: number) {
  return logged(async () => {
    const verdicts: Verdict[] = [];
    while (verdicts.length < count) verdicts.push(await attempt());
    return verdicts;
  });
}
