import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestSystem, type TestSystem } from '../events/test-system.ts';

/** Checks that the use of memory, descriptors and sockets does not grow under a mixed load. `SOAK_MINUTES` sets the duration. */

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
}, 60_000);
afterAll(() => system?.stop());

type Usage = { readonly rssMb: number; readonly descriptors: number; readonly sockets: number };

function usage(): Usage {
  return {
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    descriptors: readdirSync('/proc/self/fd').length,
    sockets: process.getActiveResourcesInfo().filter((name) => name.includes('TCPSOCKET')).length,
  };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test(
  'the use of memory, file descriptors and sockets does not grow',
  async () => {
    const { operator, service, receiver } = system;
    const org = await system.organization();
    receiver.answer('/failing', [503]);
    await system.eventAction(org.siteId, '/fine', ['message.sent']);
    await system.eventAction(org.siteId, '/failing', ['message.received']);
    const init = () =>
      fetch(`${service.baseUrl}/api/widget/init`, {
        method: 'POST',
        headers: { 'x-site-id': org.siteId, origin: 'https://a.example', 'content-type': 'application/json' },
        body: '{}',
      }).then((answer) => answer.arrayBuffer());

    const samples: Usage[] = [];
    const end = Date.now() + MINUTES * 60_000;
    let sampledAt = 0;
    for (let round = 0; Date.now() < end; round++) {
      const event = { orgId: org.orgId, siteId: org.siteId, data: { round } };
      await Promise.all([
        operator.putEvent({ name: 'message.sent', ...event }),
        round % 10 === 0 ? operator.putEvent({ name: 'message.received', ...event }) : undefined,
        init(),
        fetch(`${service.apiUrl}/api/nothing`).then((answer) => answer.arrayBuffer()),
      ]);
      await pause(50);
      if (Date.now() - sampledAt >= 5000) {
        sampledAt = Date.now();
        samples.push(usage());
      }
    }
    // During the first third, caches fill and workers start.
    const third = Math.floor(samples.length / 3);
    const [before, after] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
    const of = (sample: readonly Usage[], kind: keyof Usage) => median(sample.map((one) => one[kind]));
    // The receiver keeps every request and the local cloud every stored item: a few bytes per event.
    expect(of(after, 'rssMb')).toBeLessThan(of(before, 'rssMb') * 1.15);
    expect(of(after, 'descriptors')).toBeLessThanOrEqual(of(before, 'descriptors') + 5);
    expect(of(after, 'sockets')).toBeLessThanOrEqual(of(before, 'sockets') + 5);
  },
  (MINUTES + 3) * 60_000,
);
