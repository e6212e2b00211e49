import '../lambdas/environment.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { type HttpRequest, httpHandler } from '../../../src/functions/http.ts';
import { setting } from '../../../src/functions/settings.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { call, REQUEST_ID, type Request, testShell } from '../lambdas/invocation.ts';

const answerOf = (route: Parameters<typeof httpHandler>[1], request: Request = {}) =>
  call(httpHandler(testShell(), route), request);

test('a route receives the request of the API', async () => {
  const seen: HttpRequest[] = [];
  const route = async (request: HttpRequest) => {
    seen.push(request);
    return { status: 200, body: { a: 1 } };
  };
  const sent = { method: 'PUT', query: { q: '1' }, sourceIp: '203.0.113.1' };
  await answerOf(route, { ...sent, path: '/a/b', pathParameters: { id: 'b' }, body: { x: 1 } });
  expect(seen).toMatchObject([{ ...sent, rawPath: '/a/b', path: { id: 'b' } }]);
  expect(seen[0]?.readBody()).toEqual({ x: 1 });
});

test('no response can be cached, sniffed or framed', async () => {
  const answer = await answerOf(async () => ({ status: 200, body: {} }));
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
    const { headers } = await answerOf(async ({ answerHeaders }) => {
      answerHeaders['access-control-allow-origin'] = 'https://shop.example';
      throw error;
    });
    expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://shop.example' });
  }
});

describe('a body', () => {
  const read = (request: Request) => answerOf(async ({ readBody }) => ({ status: 200, body: readBody() }), request);
  const LARGEST = { ignored: 'x'.repeat(256 * 1024 - 14) };

  test.each<[string, Request, object]>([
    ['missing', {}, {}],
    ['empty', { body: '' }, {}],
    ['blank', { body: ' \n' }, {}],
    ['an object', { body: { a: 1 } }, { a: 1 }],
    ['base64', { body: { user_name: 'Zoë' }, base64: true }, { user_name: 'Zoë' }],
    ['of another type', { body: '{"a":1}', headers: { 'content-type': 'text/plain' } }, { a: 1 }],
    ['marked as UTF-8', { body: '\ufeff{"a":1}' }, { a: 1 }],
    ['marked as UTF-8 and base64', { body: '\ufeff{"a":1}', base64: true }, { a: 1 }],
    ['of 256 KB', { body: LARGEST }, LARGEST],
  ])('that is %s is read', async (_, request, body) => {
    expect(await read(request)).toMatchObject({ status: 200, body });
  });

  const larger = { ...LARGEST, a: 1 };
  test.each<[number, string, string, Request]>([
    [400, 'Request body must be valid JSON', 'malformed', { body: '{"user_id":' }],
    [400, 'Request body must be valid JSON', 'malformed and base64', { body: '{', base64: true }],
    [400, 'Request body must be a JSON object', 'a list', { body: '[]' }],
    [400, 'Request body must be a JSON object', 'null', { body: 'null' }],
    [400, 'Request body must be a JSON object', 'text', { body: '"hello"' }],
    [400, 'Request body must be a JSON object', 'a number', { body: '5' }],
    [413, 'Request body is too large', 'larger', { body: larger }],
    [413, 'Request body is too large', 'larger and base64', { body: larger, base64: true }],
  ])('is refused with %i %s: %s', async (status, error, _, request) => {
    expect(await read(request)).toMatchObject({ status, body: errorBody(error) });
  });

  test.each([
    ['a byte that is not UTF-8', Buffer.from('{"user_id":"caf\xe9"}', 'latin1')],
    ['a character cut short', Buffer.from('{"user_id":"\u20ac"}').subarray(0, 14)],
    ['two byte order marks', Buffer.from('\ufeff\ufeff{}')],
  ])('is refused with %s', async (_, body) => {
    expect(await read({ body })).toMatchObject({ status: 400, body: errorBody('Request body must be valid JSON') });
  });
});

test('only a refusal with a time has the header Retry-After', async () => {
  const refused = (...refusal: ConstructorParameters<typeof Refusal>) =>
    answerOf(async () => Promise.reject(new Refusal(...refusal)));
  const limited = await refused('rate_limit_exceeded', { retryAfterSeconds: 7 });
  expect(limited.headers['retry-after']).toBe('7');
  const other = await refused('invalid_request');
  expect(other.headers).not.toHaveProperty('retry-after');
});

test.each([
  ['an Error with a cause', new Error('outer', { cause: new Error('inner') })],
  ['text', 'just text'],
  ['undefined', undefined],
])('%s that is thrown becomes a 500 without details', async (_, thrown) => {
  const request = { headers: { 'x-session-token': 'DontTell' }, body: { a: 'DontTell' } };
  const answer = await answerOf(async () => Promise.reject(thrown), request);
  expect([answer.status, answer.body, answer.headers['x-request-id']]).toEqual([
    500,
    errorBody('Internal error'),
    REQUEST_ID,
  ]);
  expect(answer.log).toContain('The request failed');
  expect(answer.log).toContain('api-request-1');
  expect(answer.log).not.toContain('DontTell');
});

test('a refusal from 500 on has the request id, and is no fault of the service', async () => {
  const refusal = new Refusal('submission_failed', { submissionId: 'submission-1' });
  const answer = await answerOf(async () => Promise.reject(refusal));
  expect([answer.status, answer.headers['x-request-id']]).toEqual([502, REQUEST_ID]);
  expect(answer.body).toMatchObject({ code: 'submission_failed', submission_id: 'submission-1' });
  expect(answer.log).not.toContain('FailedRequests');
  expect(JSON.parse(answer.log.split('\n')[0] ?? '')).toMatchObject({
    message: 'Refused',
    api_request_id: 'api-request-1',
  });
});

test('a missing environment variable is named', () => {
  expect(setting('configurationTable', { VA_WAVE_CONFIGURATION_TABLE: 'x' })).toBe('x');
  expect(() => setting('configurationTable', {})).toThrow('VA_WAVE_CONFIGURATION_TABLE');
  expect(() => setting('configurationTable', { VA_WAVE_CONFIGURATION_TABLE: '' })).toThrow(
    'VA_WAVE_CONFIGURATION_TABLE',
  );
});
