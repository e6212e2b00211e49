import '../../lambdas/environment.ts';
import { Logger } from '@aws-lambda-powertools/logger';
import { required } from '../../../src/adapters/handlers/environment.ts';
import { type HttpRequest, httpHandler } from '../../../src/adapters/handlers/http.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { call, httpEvent, lambdaContext, logged, REQUEST_ID } from '../../lambdas/invocation.ts';

const logger = new Logger({ serviceName: 'test' });
const handlerOf = (route: Parameters<typeof httpHandler>[1]) => httpHandler(logger, route);

test('a route receives the request of the API', async () => {
  const seen: HttpRequest[] = [];
  const handler = handlerOf(async (request) => {
    seen.push(request);
    return { status: 200, body: { a: 1 } };
  });
  await call(handler, {
    method: 'PUT',
    path: '/a/b',
    query: { q: '1' },
    pathParameters: { id: 'b' },
    body: { x: 1 },
    sourceIp: '203.0.113.1',
  });
  expect(seen[0]).toMatchObject({
    method: 'PUT',
    rawPath: '/a/b',
    query: { q: '1' },
    path: { id: 'b' },
    sourceIp: '203.0.113.1',
  });
  expect(seen[0]?.readBody()).toEqual({ x: 1 });
});

test('no response can be cached, sniffed or framed', async () => {
  const answer = await call(
    handlerOf(async () => ({ status: 200, body: {} })),
    {},
  );
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Origin' });
  const lowerCase = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  expect(lowerCase).toMatchObject({
    'x-content-type-options': 'nosniff',
    'strict-transport-security': expect.any(String),
  });
});

test('headers that were set before a refusal or an error are kept', async () => {
  for (const error of [new Refusal('ip_not_allowed'), new Error('fault')]) {
    const handler = handlerOf(async (_, headers) => {
      headers['access-control-allow-origin'] = 'https://shop.example';
      throw error;
    });
    expect((await call(handler, {})).headers).toMatchObject({ 'access-control-allow-origin': 'https://shop.example' });
  }
});

test.each([
  ['a byte that is not UTF-8', Buffer.from('{"user_id":"caf\xe9"}', 'latin1')],
  ['a character cut short', Buffer.from('{"user_id":"\u20ac"}').subarray(0, 14)],
  ['a byte order mark', Buffer.from('\ufeff{}')],
])('refuses a body with %s', async (_, bytes) => {
  const event = { ...httpEvent({ path: '/a' }), body: bytes.toString('base64'), isBase64Encoded: true };
  const { result } = await logged(() =>
    handlerOf(async ({ readBody }) => ({ status: 200, body: readBody() }))(event, lambdaContext()),
  );
  expect([result.statusCode, JSON.parse(result.body ?? '')]).toEqual([
    400,
    errorBody('Request body must be valid JSON'),
  ]);
});

test('only a refusal with a time has the header Retry-After', async () => {
  const limited = await call(
    handlerOf(async () => Promise.reject(new Refusal('rate_limit_exceeded', { retryAfterSeconds: 7 }))),
    {},
  );
  expect(limited.headers['retry-after']).toBe('7');
  const other = await call(
    handlerOf(async () => Promise.reject(new Refusal('invalid_request'))),
    {},
  );
  expect(other.headers).not.toHaveProperty('retry-after');
});

test.each([
  ['an Error with a cause', new Error('outer', { cause: new Error('inner') })],
  ['text', 'just text'],
  ['undefined', undefined],
])('%s that is thrown becomes a 500 without details', async (_, thrown) => {
  const answer = await call(
    handlerOf(async () => Promise.reject(thrown)),
    { headers: { 'x-session-token': 'DontTell' }, body: { a: 'DontTell' } },
  );
  expect([answer.status, answer.body, answer.headers['x-request-id']]).toEqual([
    500,
    errorBody('Internal error'),
    REQUEST_ID,
  ]);
  expect(answer.log).toContain('The request failed');
  expect(answer.log).toContain('api-request-1');
  expect(answer.log).not.toContain('DontTell');
});

test('a missing environment variable is named', () => {
  expect(required({ CONFIGURATION_TABLE: 'x' }, 'CONFIGURATION_TABLE')).toBe('x');
  expect(() => required({}, 'CONFIGURATION_TABLE')).toThrow('CONFIGURATION_TABLE');
  expect(() => required({ CONFIGURATION_TABLE: '' }, 'CONFIGURATION_TABLE')).toThrow('CONFIGURATION_TABLE');
});
