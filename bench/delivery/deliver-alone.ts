import { randomUUID } from 'node:crypto';
import * as localRule from '../../local/network-rule.ts';
import { createOutbound } from '../../src/adapters/outbound/outbound.ts';
import { type Contender, envelopeOf, inLoops, type SenderSettings } from './contender.ts';

/**
 * Runs the outbound pipeline with its guard, deadline and limits, but without records. Ten deliveries share a key, because the
 * pipeline keeps ten connections per key. Without a key, each request has a new connection, as for all deliveries except Event deliveries.
 */
export async function start(settings: SenderSettings): Promise<Contender> {
  process.env.VA_WAVE_LOCAL_CA_FILE = settings.authorityFile;
  const clock = { monotonic: () => performance.now(), wall: () => Date.now() };
  const { makeAttempt } = createOutbound({ clock, networkRule: localRule });
  const body = Buffer.from(JSON.stringify(envelopeOf(randomUUID(), 'org', settings.bodyBytes)));
  return inLoops(settings.atOnce, async (loop) => {
    const { failure } = await makeAttempt({
      method: 'POST',
      url: settings.url,
      headers: { 'Content-Type': 'application/json' },
      body,
      keepBytes: 8000,
      ...(settings.keepConnections ? { connectionKey: `action-${Math.floor(loop / 10)}` } : {}),
    });
    if (failure !== null) throw new Error(failure.message);
  });
}
