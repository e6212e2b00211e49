import * as z from 'zod';
import { createOutbound } from '../../../../src/adapters/outbound/outbound.ts';
import { clock, HOST, settingsOf, testRule } from './sender.ts';

/**
 * A process that delivers one batch as the dispatcher does: nine messages for a hostile server, and one for a victim. Sends the victim's
 * outcome, and the longest time in milliseconds for which the thread computed without a turn of its event loop.
 */
const settings = settingsOf({
  hostile: z.number(),
  victim: z.number(),
  /** Whether to measure turns, which takes all the time that the process is given. */
  measured: z.boolean(),
});
const { hostile, victim, measured } = settings;
const { makeAttempt, close } = createOutbound({ clock, networkRule: testRule(settings) });

const send = (port: number, action: string) =>
  makeAttempt(
    { method: 'POST', url: `https://${HOST}:${port}/hook`, headers: {}, body: Buffer.from('{}'), withheldTexts: [] },
    { connectionKey: action, keepBytes: 8000 },
  );

const computedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longestMs = 0;
let since = Number.NaN;
let over = false;
const turn = () => {
  const until = computedMs();
  longestMs = Math.max(longestMs, until - since);
  since = computedMs();
  if (!over) setImmediate(turn);
};

// Code that runs for the first time is compiled, which is not the server's doing.
for (let index = 0; index < 20; index += 1) await send(victim, `warm ${index}`);
if (measured) {
  since = computedMs();
  turn();
}
const hostiles = Array.from({ length: 9 }, (_, index) => send(hostile, `hostile ${index}`));
const { text, ...outcome } = await send(victim, 'victim');
const outcomes = await Promise.all(hostiles);
over = true;
await close();
process.send?.({
  ...outcome,
  longestMs,
  hostile: outcomes.map((one) => one.error?.message ?? String(one.status)),
});
process.disconnect();
