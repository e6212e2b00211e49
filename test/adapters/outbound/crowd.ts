import { Resolver } from 'node:dns/promises';
import * as strict from '../../../src/adapters/outbound/network-rule.ts';
import { createOutbound } from '../../../src/adapters/outbound/outbound.ts';

/**
 * Measures concurrent deliveries in a separate process, so that the memory is only that of the sender. Makes `count` deliveries at the
 * same time after some warm-up deliveries. Prints their outcomes, whether one was over a second late, and by how much the memory grew.
 * Arguments: port, count, timeout in ms, name server, PEM of the authority, bytes to keep of a response.
 */
const [port = '', count = '', timeout = '', server = '', pem = '', keepBytes = ''] = process.argv.slice(2);

const { makeAttempt, close } = createOutbound({
  clock: { monotonic: () => performance.now(), wall: () => Date.now() },
  timeoutMs: Number(timeout),
  networkRule: {
    ...strict,
    addressProblem: (address) => (address === '127.0.0.1' ? undefined : strict.addressProblem(address)),
    createResolver: () => {
      const resolver = new Resolver({ timeout: 700, tries: 4 });
      resolver.setServers([server]);
      return resolver;
    },
    extraCertificateAuthorities: () => [pem],
  },
});

const one = (path: string) =>
  makeAttempt({
    method: 'POST',
    url: `https://receiver.customer.com:${port}${path}`,
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.alloc(1000, 'x'),
    keepBytes: Number(keepBytes),
  });

const megabytes = () => process.memoryUsage().rss / 1024 / 1024;

for (let index = 0; index < 5; index += 1) await one('/warm');
const idle = megabytes();
let peak = idle;
const watch = setInterval(() => {
  peak = Math.max(peak, megabytes());
}, 5);
let late = false;
// Uses a timer instead of a clock, because a busy machine delays it like the timers of the deliveries.
const lateness = setTimeout(() => {
  late = true;
}, Number(timeout) + 1000);
const outcomes = await Promise.all(Array.from({ length: Number(count) }, () => one('/crowd')));
clearTimeout(lateness);
clearInterval(watch);
close();
const results: Record<string, number> = {};
for (const { status, failure } of outcomes) {
  const result = failure?.code ?? String(status);
  results[result] = (results[result] ?? 0) + 1;
}
console.log(JSON.stringify({ results, late, grownMb: Math.max(peak, megabytes()) - idle }));
