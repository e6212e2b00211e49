import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { JsonRecord } from '../json.ts';
import { type HttpAnswer, jsonMessage } from '../listener.ts';
import type { Route } from '../template/stack.ts';

/** The only algorithms that API Gateway accepts. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512'];

/**
 * Returns the JWT authorizer of a route. It checks the bearer token's signature with the keys that the issuer publishes where a user pool
 * of Cognito does, and its issuer, times, audience (`aud`, or `client_id` without `aud`) and scopes. Every value comes from the template.
 * Its result is the caller's claims for the event, or the answer that API Gateway gives instead of the function.
 */
export function jwtAuthorizer({ issuer, audience, scopes: wantedScopes }: NonNullable<Route['authorizer']>) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  return async (
    authorization: string | undefined,
  ): Promise<{ readonly authorizer: JsonRecord } | { readonly refusal: HttpAnswer }> => {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return { refusal: jsonMessage(401, 'Unauthorized', { 'www-authenticate': 'Bearer' }) };
    let claims: JWTPayload;
    try {
      claims = (await jwtVerify(token, keys, { issuer, algorithms: ALGORITHMS })).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return { refusal: invalidToken(error.code) };
      throw error;
    }
    const audiences = claims.aud === undefined ? [claims.client_id] : [claims.aud].flat();
    if (!audiences.some((name) => typeof name === 'string' && audience.includes(name))) {
      return { refusal: invalidToken('the token has an invalid audience') };
    }
    const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : [];
    if (wantedScopes.length > 0 && !wantedScopes.some((scope) => scopes.includes(scope))) {
      return { refusal: jsonMessage(403, 'Forbidden', { 'www-authenticate': 'Bearer error="insufficient_scope"' }) };
    }
    const texts = Object.entries(claims).map(([name, value]) => [name, asText(value)]);
    return { authorizer: { jwt: { claims: Object.fromEntries(texts), scopes } } };
  };
}

const invalidToken = (reason: string) =>
  jsonMessage(401, 'Unauthorized', {
    'www-authenticate': `Bearer error="invalid_token" error_description="${reason}"`,
  });

function asText(value: unknown): string {
  return typeof value === 'string' ? value : Array.isArray(value) ? `[${value.join(' ')}]` : String(value);
}
