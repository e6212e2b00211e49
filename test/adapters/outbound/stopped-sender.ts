import * as z from 'zod';
import { createOutbound } from '../../../src/adapters/outbound/outbound.ts';
import { clock, settingsOf, testRule } from './sender.ts';

/** A process that delivers on command, for tests that stop it in between as Lambda freezes a function. */

/** Milliseconds by which the wall clock is ahead, for a freeze that is too long for a test. */
let aheadMs = 0;

const { makeAttempt } = createOutbound({
  clock: { ...clock, wall: () => Date.now() + aheadMs },
  networkRule: testRule(settingsOf({})),
});

const delivery = z.object({ url: z.string(), aheadMs: z.number() });

process.on('message', async (message) => {
  const { url, ...now } = delivery.parse(message);
  aheadMs = now.aheadMs;
  const { status, failure } = await makeAttempt({
    method: 'POST',
    url,
    headers: {},
    body: Buffer.from('{}'),
    connectionKey: 'action-1',
  });
  process.send?.({ status, failure });
});
