import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { DASHBOARD_SCOPE } from '../../../../src/contract/dashboard-operations.ts';
import { startServer } from '../../../harness/server.ts';

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** Starts an OpenID issuer that publishes one key and signs the claims that a test passes. */
export async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  const { origin, stop } = await startServer((request, response) => {
    const found = request.url === '/.well-known/jwks.json';
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }));
  });
  return {
    origin,
    /** Signs an access token of `anna` for the client `dashboard`, valid for one hour. The arguments override these defaults. */
    sign: (claims: Record<string, unknown> = {}, { issuer = origin, expires = '1h' } = {}) =>
      new SignJWT({ sub: 'anna', client_id: 'dashboard', scope: DASHBOARD_SCOPE, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuer(issuer)
        .setExpirationTime(expires)
        .sign(privateKey),
    stop,
  };
}
