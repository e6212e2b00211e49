import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { JwtAuthorizer } from '../../local/login/jwt-authorizer.ts';

const SCOPES = ['va-wave-dashboard/use'];

/** The one-machine cloud's JWT authorizer against an issuer of the test's own. */
describe('the JWT authorizer', () => {
  let server: Server;
  let issuer: string;
  let sign: (claims: Record<string, unknown>, options?: { issuer?: string; expires?: string }) => Promise<string>;
  const authorizer = new JwtAuthorizer();

  beforeAll(async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
    server = createServer((request, response) => {
      const body = request.url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    sign = (claims, options = {}) =>
      new SignJWT({ client_id: 'dashboard', scope: SCOPES.join(' '), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuer(options.issuer ?? issuer)
        .setSubject('anna')
        .setExpirationTime(options.expires ?? '1h')
        .sign(privateKey);
  });

  afterAll(() => {
    server.close();
  });

  const statusOf = async (authorization: string | undefined) => {
    const verdict = await authorizer.check({ issuer, audience: ['dashboard'], scopes: SCOPES }, authorization);
    return 'refused' in verdict ? verdict.refused.status : verdict.authorizer;
  };
  const bearer = async (...of: Parameters<typeof sign>) => `Bearer ${await sign(...of)}`;

  test('lets an access token of the client with the scope pass, and hands over its claims', async () => {
    expect(await statusOf(await bearer({}))).toMatchObject({
      jwt: { claims: { sub: 'anna', client_id: 'dashboard' }, scopes: SCOPES },
    });
  });

  test.each<[string, () => Promise<string | undefined>, number]>([
    ['no token', async () => undefined, 401],
    ['another scheme', async () => `Basic ${await sign({})}`, 401],
    ['no JWT', async () => 'Bearer abc', 401],
    ['an expired token', () => bearer({}, { expires: '-1s' }), 401],
    ['a token of another issuer', () => bearer({}, { issuer: 'https://elsewhere.example' }), 401],
    ['a token of another client', () => bearer({ client_id: 'somebody-else' }), 401],
    ['another audience, whatever the client', () => bearer({ aud: 'somebody-else' }), 401],
    ['an ID token: the right audience, no scope', () => bearer({ aud: 'dashboard', scope: undefined }), 403],
    ['another scope', () => bearer({ scope: 'openid email' }), 403],
    ['an unsigned token', async () => `Bearer ${unsigned(await sign({}))}`, 401],
  ])('%s is refused', async (_, authorization, status) => {
    expect(await statusOf(await authorization())).toBe(status);
  });
});

function unsigned(token: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  return `${header}.${token.split('.')[1]}.`;
}
