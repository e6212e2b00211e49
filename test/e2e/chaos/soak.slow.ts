import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestSystem, type TestSystem } from '../events/test-system.ts';

/** Mixed load for a while: what is used afterwards is what was used before. `SOAK_MINUTES` changes how long. */

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
  'memory, file descriptors and sockets stay flat',
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
    // The first third fills caches and starts workers.
    const third = Math.floor(samples.length / 3);
    const [before, after] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
    const of = (sample: readonly Usage[], kind: keyof Usage) => median(sample.map((one) => one[kind]));
    // The receiver keeps every request, and the local cloud's engines what was stored: a few bytes per event, no more.
    expect(of(after, 'rssMb')).toBeLessThan(of(before, 'rssMb') * 1.15);
    expect(of(after, 'descriptors')).toBeLessThanOrEqual(of(before, 'descriptors') + 5);
    expect(of(after, 'sockets')).toBeLessThanOrEqual(of(before, 'sockets') + 5);
  },
  (MINUTES + 3) * 60_000,
);
