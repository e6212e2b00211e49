import { failedItems } from '../../../../local/cloud/functions/event-source.ts';
import { answerOf, routesOf } from '../../../../local/cloud/http/api-gateway.ts';

describe('routes', () => {
  const under = ['ANY /a/{proxy+}', 'GET /a/{proxy+}', 'GET /a/{id}', 'ANY /a/fixed', 'POST /a/fixed'];
  const keys = ['$default', ...under, 'GET /a/{id}/b', 'GET /a/x/b'];
  const match = routesOf(keys.map((key) => ({ key })));

  test.each<[string, string, string, Record<string, string>]>([
    ['POST', '/a/fixed', 'POST /a/fixed', {}],
    ['GET', '/a/fixed', 'ANY /a/fixed', {}],
    ['GET', '/a/1', 'GET /a/{id}', { id: '1' }],
    ['PUT', '/a/1', 'ANY /a/{proxy+}', { proxy: '1' }],
    ['GET', '/a/1/2', 'GET /a/{proxy+}', { proxy: '1/2' }],
    ['GET', '/a/1/b', 'GET /a/{id}/b', { id: '1' }],
    ['GET', '/a/x/b', 'GET /a/x/b', {}],
    ['GET', '/a', '$default', {}],
    ['GET', '/', '$default', {}],
    ['GET', '/A/fixed', '$default', {}],
  ])('send %s %s to %s', (method, path, key, parameters) => {
    expect(match(method, path)).toEqual({ route: { key }, parameters });
  });

  test('match nothing without a default, and refuse a key that is no route', () => {
    expect(routesOf([{ key: 'GET /a' }])('GET', '/b')).toBeUndefined();
    expect(() => routesOf([{ key: 'nonsense' }])).toThrow('not the key of a route');
  });
});

describe('the answer of a function', () => {
  const json = { 'content-type': 'application/json' };
  const plain = { 'content-type': 'text/plain;charset=UTF-8' };
  test.each<[unknown, unknown]>([
    [{ a: 1 }, { status: 200, headers: json, body: '{"a":1}' }],
    ['text', { status: 200, headers: json, body: 'text' }],
    [null, { status: 200, headers: json, body: 'null' }],
    [{ statusCode: 204 }, { status: 204, headers: plain, body: '' }],
    [
      { statusCode: 201, body: 'x', headers: { 'Content-Type': 'a/b' } },
      { status: 201, headers: { 'content-type': 'a/b' }, body: 'x' },
    ],
  ])('%j becomes the response %j', (result, expected) => {
    expect(answerOf(JSON.stringify(result))).toEqual(expected);
  });

  test.each([{ body: { a: 1 } }, { statusCode: 99 }, { headers: 'no' }, { cookies: ['c=1'] }])(
    'with %j is refused',
    (more) => {
      expect(() => answerOf(JSON.stringify({ statusCode: 200, ...more }))).toThrow('does not know this response');
    },
  );
});

describe('a report of failed items', () => {
  const messages = [{ MessageId: 'a' }, { MessageId: 'b' }];
  const report = (...ids: unknown[]) => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });
  test.each<[unknown, string[]]>([
    [null, []],
    ['', []],
    [{}, []],
    [{ batchItemFailures: null }, []],
    [report(), []],
    [report('b'), ['b']],
    [report('a', 'b'), ['a', 'b']],
    [report(''), ['a', 'b']],
    [report(null), ['a', 'b']],
    [report('unknown'), ['a', 'b']],
    [{ batchItemFailures: [{ item: 'a' }] }, ['a', 'b']],
    [{ batchItemFailures: 'a' }, ['a', 'b']],
    ['text', ['a', 'b']],
  ])('%j names the failed messages %j', (payload, failed) => {
    expect([...failedItems(JSON.stringify(payload), messages)]).toEqual(failed);
  });
});
