import { jwtVerify } from 'jose';
import { sessionCreateResponse } from '../../../src/contract/sessions.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import { newServerSecret, storedServerSecret } from '../../../src/domain/auth/server-secret.ts';
import { AwsFault } from '../../fakes/aws-services.ts';
import { anAssistant, OTHER_SITE_ID, SITE_ID } from '../../fakes/configuration.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { countingBytes } from '../../fakes/sources.ts';
import { aws, STACK_NAME } from './environment.ts';
import { call, metricsIn, type Request } from './invocation.ts';
import { store, TOKEN_KEY } from './stored.ts';

const { handler } = await import('../../../lambdas/session-create/handler.ts');

const KEY = newServerSecret(SITE_ID, countingBytes());
beforeEach(() => store(anAssistant({ authentication_mode: 'Session Signed', server_secret: storedServerSecret(KEY) })));

const create = (request: Request = {}) =>
  call(handler, {
    path: '/api/widget/session/create',
    ...request,
    headers: { 'x-server-key': KEY, ...request.headers },
  });

test('answers 200 with a token that the token key signed, and logs no secret', async () => {
  const answer = await create({ body: { user_id: 'user-1', user_email: 'ada@example.com', ttl_minutes: '30' } });
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: 'Origin',
  });
  const body = sessionCreateResponse.parse(answer.body);
  expect(body).toMatchObject({ site_id: SITE_ID, expires_in_seconds: 1800 });
  expect(body.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  const { payload } = await jwtVerify(body.session_token, Buffer.from(TOKEN_KEY.key));
  expect(payload).toMatchObject({ sub: 'user-1', site_id: SITE_ID, exp: Date.parse(body.expires_at) / 1000 });
  for (const secret of [KEY, 'DontTell', body.session_token, 'ada@example.com'])
    expect(answer.log).not.toContain(secret);
});

describe('refuses', () => {
  test('a wrong key', async () => {
    const answer = await create({ headers: { 'x-server-key': `${KEY.slice(0, -1)}-` } });
    expect([answer.status, answer.body]).toEqual([401, errorBody('Invalid server key')]);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', vary: 'Origin' });
  });

  test.each([
    ['names the assistant once it is found', OTHER_SITE_ID, OTHER_SITE_ID],
    ['names no assistant that a made-up key names', 'site_zzzzzzzzzzzzzzzzzzzz', undefined],
  ])('and %s', async (_, named, site_id) => {
    store(anAssistant({ site_id: OTHER_SITE_ID }));
    const { status, log } = await create({ headers: { 'x-server-key': newServerSecret(named, countingBytes()) } });
    const lines = log.split('\n').filter((line) => line.includes('"Refused"'));
    expect([status, lines.map((line) => JSON.parse(line).site_id)]).toEqual([401, [site_id]]);
  });

  test('and counts refusals by authentication and rate limits, but not invalid input', async () => {
    const metricsOf = async (request?: Request) => metricsIn((await create(request)).log);
    expect(await metricsOf({ headers: { 'x-server-key': 'sk_1' } })).toEqual([
      { service: STACK_NAME, reason: 'server_key_malformed', [METRICS.refusals]: 1 },
    ]);
    expect(await metricsOf({ body: '{' })).toEqual([]);
    expect(await metricsOf()).toEqual([]);
    const Item = { h0: Date.now() - 18_500 };
    aws.on('UpdateItem', {}, new AwsFault('ConditionalCheckFailedException', { Item }));
    expect(await metricsOf()).toMatchObject([{ reason: 'rate_limit_exceeded' }]);
  });
});
