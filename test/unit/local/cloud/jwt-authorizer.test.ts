import { jwtAuthorizer } from '../../../../local/cloud/http/jwt-authorizer.ts';
import { type Issuer, startIssuer } from './issuer.ts';

const SCOPES = ['va-wave-dashboard/use'];

/** Tests the local cloud's JWT authorizer with an issuer that the test starts. */
describe('the JWT authorizer', () => {
  let issuer: Issuer;
  let check: ReturnType<typeof jwtAuthorizer>;

  beforeAll(async () => {
    issuer = await startIssuer();
    check = jwtAuthorizer({ issuer: issuer.origin, audience: ['dashboard'], scopes: SCOPES });
  });
  afterAll(() => issuer.stop());

  const statusOf = async (authorization: string | undefined) => {
    const verdict = await check(authorization);
    return 'refusal' in verdict ? verdict.refusal.status : verdict.authorizer;
  };
  const bearer = async (...of: Parameters<Issuer['sign']>) => `Bearer ${await issuer.sign(...of)}`;

  test('accepts an access token of the client with the scope, and returns its claims', async () => {
    expect(await statusOf(await bearer({}))).toMatchObject({
      jwt: { claims: { sub: 'anna', client_id: 'dashboard' }, scopes: SCOPES },
    });
  });

  test.each<[string, () => Promise<string | undefined>, number]>([
    ['no token', async () => undefined, 401],
    ['another scheme', async () => `Basic ${await issuer.sign()}`, 401],
    ['no JWT', async () => 'Bearer abc', 401],
    ['an expired token', () => bearer({}, { expires: '-1s' }), 401],
    ['a token of another issuer', () => bearer({}, { issuer: 'https://elsewhere.example' }), 401],
    ['a token of another client', () => bearer({ client_id: 'another-client' }), 401],
    ['a token for another audience, with the right client', () => bearer({ aud: 'another-client' }), 401],
    [
      'an ID token, which has the right audience and no scope',
      () => bearer({ aud: 'dashboard', scope: undefined }),
      403,
    ],
    ['another scope', () => bearer({ scope: 'openid email' }), 403],
    ['an unsigned token', async () => `Bearer ${unsigned(await issuer.sign())}`, 401],
  ])('refuses %s', async (_, authorization, status) => {
    expect(await statusOf(await authorization())).toBe(status);
  });
});

function unsigned(token: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  return `${header}.${token.split('.')[1]}.`;
}
