import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { type Contender, type ContenderSettings, envelopeOf, inLoops } from './contender.ts';

/** The limit: undici and nothing else, one kept connection per loop. No signature, no check, no record. */
export async function start(settings: ContenderSettings, pipelining = 1): Promise<Contender> {
  const { origin, pathname: path } = new URL(settings.url);
  const pool = new Pool(origin, {
    connections: settings.atOnce,
    pipelining,
    // A connection that resumes the TLS session of another one is none of the cold ones that are meant.
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
