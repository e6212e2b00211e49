import * as z from 'zod';
import { createOutbound } from '../../../../src/adapters/outbound/outbound.ts';
import { clock, HOST, settingsOf, testRule } from './sender.ts';

/**
 * Measures concurrent deliveries in a separate process, so that the memory is only that of the sender. Makes `count` deliveries at the
 * same time after some warm-up deliveries. Prints their outcomes, whether one was over a second late, and by how much the memory grew.
 */
const settings = settingsOf({
  port: z.number(),
  count: z.number(),
  timeoutMs: z.number(),
  keepBytes: z.number(),
});
const { port, count, timeoutMs, keepBytes } = settings;
const { makeAttempt, close } = createOutbound({ clock, timeoutMs, networkRule: testRule(settings) });

const one = (path: string) =>
  makeAttempt(
    {
      method: 'POST',
      url: `https://${HOST}:${port}${path}`,
      headers: { 'Content-Type': 'application/json' },
      body: Buffer.alloc(1000, 'x'),
      withheldTexts: [],
    },
    { keepBytes },
  );

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
}, timeoutMs + 1000);
const outcomes = await Promise.all(Array.from({ length: count }, () => one('/crowd')));
clearTimeout(lateness);
clearInterval(watch);
close();
const results: Record<string, number> = {};
for (const { status, success, error } of outcomes) {
  const result = success ? String(status) : (error?.code ?? '');
  results[result] = (results[result] ?? 0) + 1;
}
console.log(JSON.stringify({ results, late, grownMb: Math.max(peak, megabytes()) - idle }));
