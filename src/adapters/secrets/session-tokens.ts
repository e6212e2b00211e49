import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { type SessionClaims, sessionClaims } from '../../contract/sessions.ts';
import { TURN_MAX_SECONDS } from '../../domain/auth/token-key-ring.ts';
import type { Clock } from '../../domain/sources.ts';
import type { CachedRing } from './secret-store.ts';

/**
 * Session tokens: JWTs with HS256 and the key's id in their header. The payload is readable by whoever holds the token
 * (spec "Session token").
 */
export function sessionTokens(ring: Pick<CachedRing, 'current' | 'verifying'>, now: Clock) {
  const verify = async (token: string, expiredSeconds: number): Promise<SessionClaims | undefined> => {
    try {
      const { payload } = await jwtVerify(token, (header) => keyFor(ring, header.kid), {
        algorithms: ['HS256'],
        currentDate: now(),
        clockTolerance: expiredSeconds,
        requiredClaims: ['exp', 'iat', 'sub', 'jti', 'site_id'],
      });
      return sessionClaims.parse(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };

  return {
    signToken: async (claims: SessionClaims): Promise<string> => {
      const key = await ring.current();
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: key.kid })
        .sign(Buffer.from(key.key));
    },

    /** The claims of a token that we signed and that has not expired; undefined for anything else. */
    verifyToken: (token: string): Promise<SessionClaims | undefined> => verify(token, 0),

    /** As verifyToken, but a token may have expired while the turn that it began was under way. */
    verifyTokenOfTurn: (token: string): Promise<SessionClaims | undefined> => verify(token, TURN_MAX_SECONDS),

    /** The site that a token names, whether or not the token is valid. */
    siteOfToken: (token: string): string | undefined => {
      try {
        const { site_id } = decodeJwt(token);
        return typeof site_id === 'string' ? site_id : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

async function keyFor(ring: Pick<CachedRing, 'verifying'>, kid: string | undefined): Promise<Uint8Array> {
  const key = kid === undefined ? undefined : await ring.verifying(kid);
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  return Buffer.from(key.key);
}
