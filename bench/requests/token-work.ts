import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Contender, type ContenderSettings, inLoops } from '../delivery/contender.ts';
import { TOKEN_KEY } from '../setting/aws-stub.ts';

/** Runs the necessary work of session create: one hash of the server secret, one comparison and one signed token. */
export async function start({ atOnce, serverSecret = '' }: ContenderSettings): Promise<Contender> {
  const expected = createHash('sha256').update(serverSecret).digest();
  const key = Buffer.from(TOKEN_KEY.key);
  return inLoops(atOnce, async () => {
    if (!timingSafeEqual(createHash('sha256').update(serverSecret).digest(), expected)) throw new Error('Not the same');
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      sub: 'user-1',
      jti: randomUUID(),
      site_id: 'site',
      context: { plan: 'pro' },
      iat: now,
      exp: now + 900,
    };
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: TOKEN_KEY.kid }).sign(key);
  });
}
