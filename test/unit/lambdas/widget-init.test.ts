import { SignJWT } from 'jose';
import { initResponse } from '../../../src/contract/widget.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import { aFormAction, anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { aConversation } from '../../fakes/widget.ts';
import { aws, STACK_NAME } from './environment.ts';
import { call, lineOf, metricsIn, REQUEST_ID, type Request } from './invocation.ts';
import { slugItem, store, TOKEN_KEY } from './stored.ts';

const { handler } = await import('../../../lambdas/widget-init/handler.ts');

beforeEach(() => {
  store(anAssistant());
  aws.on('PutEvents', {}, { FailedEntryCount: 0, Entries: [] });
});

const ORIGIN = 'https://shop.example';
const PAGE = { origin: ORIGIN, 'x-site-id': SITE_ID };

const init = (request: Request = {}) => call(handler, { path: '/api/widget/init', headers: PAGE, ...request });

async function token(claims: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ sub: 'user-1', jti: 'session-1', site_id: SITE_ID, iat: now, exp: now + 900, ...claims })
    .setProtectedHeader({ alg: 'HS256', kid: TOKEN_KEY.kid })
    .sign(Buffer.from(TOKEN_KEY.key));
}

describe('answers 200', () => {
  test('to a page on an allowed domain, stores the conversation and puts it on the bus', async () => {
    const form = aFormAction();
    aws.on('Query', {}, { Items: [slugItem(form), slugItem(aFormAction({ slug: 'off', enabled: false }))] });
    const answer = await init({ body: { referrer: 'https://search.example/' } });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-expose-headers': 'Retry-After',
      vary: 'Origin',
      'cache-control': 'no-store',
    });
    const body = initResponse.parse(answer.body);
    expect(body.forms).toEqual([{ slug: form.slug, name: form.name, fields: form.form_fields }]);
    expect(aws.callsOf('PutItem')).toEqual([
      expect.objectContaining({
        TableName: 'conversations',
        Item: expect.objectContaining({
          conversation: expect.objectContaining({ conversation_id: body.conversation_id }),
        }),
      }),
    ]);
    const entries = aws.callsOf('PutEvents').flatMap((one) => one.Entries ?? []);
    expect(entries.map((entry) => [entry.EventBusName, entry.DetailType])).toEqual([['bus', 'conversation.started']]);
    expect(JSON.parse(entries[0]?.Detail ?? '').data).toEqual({
      conversation_id: body.conversation_id,
      session_id: body.session_id,
      visitor_id: body.visitor_id,
      referrer: 'https://search.example/',
    });
  });

  test("to a token, and resumes the user's conversation", async () => {
    const conversation = aConversation({ user_id: 'user-1', visitor_id: 'user-1' });
    aws.on('GetItem', { TableName: 'conversations' }, { Item: { conversation, expires_at: Date.now() / 1000 + 60 } });
    const answer = await init({
      headers: { origin: ORIGIN, 'x-session-token': await token() },
      body: { conversation_id: 'c-1' },
    });
    expect(answer.body).toMatchObject({ conversation_id: 'c-1', session_id: 'session-1', visitor_id: 'user-1' });
    expect([aws.callsOf('PutItem'), aws.callsOf('PutEvents')]).toEqual([[], []]);
  });
});

test('leaves out a form that cannot be read, and reports it to the operator by a log line and a metric', async () => {
  const form = aFormAction();
  const broken = aFormAction({ slug: 'broken' });
  const item = { ...slugItem(broken), action: { ...broken, method: null } };
  aws.on('Query', {}, { Items: [slugItem(form), item] });
  const answer = await init();
  expect([answer.status, initResponse.parse(answer.body).forms.length]).toEqual([200, 1]);
  expect(lineOf(answer.log, 'An Action cannot be read')).toMatchObject({
    level: 'ERROR',
    action_id: 'SLUG#Form#broken',
  });
  expect(metricsIn(answer.log)).toEqual([{ service: STACK_NAME, [METRICS.unreadableActions]: 1 }]);
});

const ANYWHERE = 'https://anywhere.example';
const anywhere = (headers: Record<string, string>) => async () => ({ origin: ANYWHERE, ...headers });
const expired = async () => ({
  origin: ORIGIN,
  'x-session-token': await token({ exp: Math.floor(Date.now() / 1000) }),
});

test.each<[string, boolean, () => Promise<Record<string, string>>, string, string | undefined]>([
  ['a disabled site', false, async () => PAGE, 'Widget site is disabled', ORIGIN],
  ['an expired token', true, expired, 'Invalid or expired session token', ORIGIN],
  ['an unknown site', true, anywhere({ 'x-site-id': 'site_nobody' }), 'Widget site not found', ANYWHERE],
  ['no credential', true, anywhere({}), 'X-Site-Id or X-Session-Token header required', ANYWHERE],
  ['another host', true, anywhere({ 'x-site-id': SITE_ID }), 'Origin not in allowed domains', undefined],
])(
  'refuses %s with a response that varies by Origin and that its page may read',
  async (_, enabled, sent, error, reader) => {
    store(anAssistant({ enabled }));
    const headers = await sent();
    const answer = await init({ headers });
    expect([answer.status, answer.body]).toEqual([401, errorBody(error)]);
    expect(answer.headers).toMatchObject({ vary: 'Origin' });
    expect(answer.headers['access-control-allow-origin']).toBe(reader);
    if ('x-session-token' in headers) expect(answer.log).not.toContain(headers['x-session-token']);
  },
);

test('an internal error is logged with the organization and the site that were identified', async () => {
  aws.on('PutEvents', {}, new Error('The bus is away'));
  const answer = await init();
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN });
  const { org_id, site_id } = anAssistant();
  const line = { function_request_id: REQUEST_ID, org_id, site_id, cause: { error: 'Error' } };
  expect(lineOf(answer.log, 'The request failed')).toMatchObject(line);
});
