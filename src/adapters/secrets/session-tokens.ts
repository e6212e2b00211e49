import { CompactSign, decodeJwt, errors, jwtVerify } from 'jose';
import { type SessionClaims, sessionClaims } from '../../contract/sessions.ts';
import { TURN_MAX_SECONDS } from '../../domain/auth/key-ring.ts';
import type { SessionTokens } from '../../domain/context.ts';
import type { TokenProblem } from '../../domain/refusal.ts';
import type { Clock } from '../../domain/sources.ts';
import type { CachedRing } from './secret-store.ts';

/** Signs and verifies JWTs with HS256 and a key id. Every holder can read the payload (spec "Session token"). */
export function sessionTokens(ring: Pick<CachedRing, 'currentKey' | 'verifyingKey'>, now: Clock): SessionTokens {
  const verify = async (token: string, expiredSeconds: number): Promise<SessionClaims | TokenProblem> => {
    if (!isCanonical(token)) return 'not_a_token';
    try {
      const { payload } = await jwtVerify(token, (header) => keyFor(ring, header.kid), {
        algorithms: ['HS256'],
        currentDate: now(),
        clockTolerance: expiredSeconds,
        requiredClaims: ['exp', 'iat', 'sub', 'jti', 'site_id'],
      });
      return sessionClaims.parse(payload);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      if (error instanceof errors.JWTExpired) return 'expired';
      if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong_signature';
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown_key' : 'not_a_token';
    }
  };

  return {
    signToken: async (claims) => {
      const key = await ring.currentKey();
      // Signed as bytes, because SignJWT cannot write a number of the context as the backend wrote it.
      return new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: key.kid })
        .sign(Buffer.from(key.key));
    },

    verifyToken: (token) => verify(token, 0),

    verifyTokenOfTurn: (token) => verify(token, TURN_MAX_SECONDS),

    siteOfToken: (token) => {
      try {
        const { site_id } = decodeJwt(token);
        return typeof site_id === 'string' ? site_id : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns whether the signature is spelled as signed: its last character has two spare bits, and `=` may follow. */
const isCanonical = (token: string): boolean => /\.[\w-]{42}[AEIMQUYcgkosw048]$/.test(token);

async function keyFor(ring: Pick<CachedRing, 'verifyingKey'>, kid: string | undefined): Promise<Uint8Array> {
  const key = kid === undefined ? undefined : await ring.verifyingKey(kid);
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  return Buffer.from(key.key);
}
