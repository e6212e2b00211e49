import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { type Contender, envelopeOf, inLoops, type SenderSettings } from './contender.ts';

/**
 * Sends with undici alone, over one kept connection per loop or a new one for each request: no signature, no check, no record. This is
 * the upper limit.
 */
export async function start(settings: SenderSettings): Promise<Contender> {
  const { origin, pathname: path } = new URL(settings.url);
  const pool = new Pool(origin, {
    connections: settings.atOnce,
    pipelining: settings.keepConnections ? 1 : 0,
    // A new connection must not resume the TLS session of another one.
    connect: { ca: readFileSync(settings.authorityFile, 'utf8'), maxCachedSessions: 0 },
  });
  const body = Buffer.from(JSON.stringify(envelopeOf(randomUUID(), 'org', settings.bodyBytes)));
  return inLoops(settings.atOnce, async () => {
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`Status ${answer.statusCode}`);
  });
}
