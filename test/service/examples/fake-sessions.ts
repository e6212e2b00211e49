import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { SessionClaims } from '../../../src/contract/sessions.ts';
import { createSession } from '../../../src/domain/auth/create-session.ts';
import { newServerSecret, storedServerSecret } from '../../../src/domain/auth/server-secret.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { fakeInvocation } from '../../fakes/invocation.ts';
import { FakeLimit } from '../../fakes/limits.ts';
import { fakeConfiguration, fakeTokens } from '../../fakes/widget.ts';
import { startServer } from '../../harness/server.ts';

/** Starts a fake session create with the service's rules on a port of this machine. Its tokens are the claims in base64url. */
export async function startSessionService() {
  const serverKey = newServerSecret(SITE_ID, randomBytes);
  const assistant = anAssistant({
    server_secret: storedServerSecret(serverKey),
    authentication_mode: 'Session Signed',
  });
  const perMinute = new FakeLimit();
  /** How far the clock of the service is ahead of the backend's, and the life of its tokens. */
  const clock = { aheadMs: 0, lifeSeconds: 900 };
  const { origin, stop } = await startServer(async (request, response) => {
    const body = await buffer(request);
    const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
    if (request.method !== 'POST' || request.url !== '/api/widget/session/create') return answer(404, {});
    try {
      const session = await createSession(
        {
          serverKey: String(request.headers['x-server-key']),
          ip: '203.0.113.5',
          readBody: () => JSON.parse(body.toString()),
        },
        {
          configuration: fakeConfiguration({ findAssistant: async () => assistant }),
          counters: { hitPerMinute: perMinute.hit, hitPerHour: new FakeLimit().hit },
          tokens: fakeTokens({
            signToken: async (claims) => Buffer.from(JSON.stringify(claims)).toString('base64url'),
          }),
        },
        { ...fakeInvocation({ now: () => new Date(Date.now() + clock.aheadMs) }), newId: randomUUID },
      );
      const { aheadMs, lifeSeconds } = clock;
      const expires_at = new Date(Date.now() + aheadMs + lifeSeconds * 1000).toISOString();
      answer(200, { ...session, expires_in_seconds: lifeSeconds, expires_at });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer(error.status, errorBody(error.message), { 'Retry-After': '7' });
    }
  });
  return { serverKey, baseUrl: origin, perMinute, clock, stop };
}

export function claimsOf(token: string): SessionClaims {
  return JSON.parse(Buffer.from(token, 'base64url').toString());
}
