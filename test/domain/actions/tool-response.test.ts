import { toolResponse } from '../../../src/domain/actions/call-tool.ts';

const respond = (text: string, map?: Record<string, string>) => toolResponse(Buffer.from(text), map);
const ORDER =
  '{"order":{"status":"sent","lines":[{"sku":"a"},{"sku":"b"}],"__proto__":{"x":1}},"total":1.5,"paid":true,"note":null,"tags":[]}';

test('a map returns the value at each path and leaves out paths without a value', () => {
  expect(
    respond(ORDER, {
      status: '$.order.status',
      second: '$.order.lines.1.sku',
      total: '$.total',
      note: '$.note',
      gone: '$.order.gone',
      deeper: '$.total.x',
    }),
  ).toEqual({ status: 'sent', second: 'b', total: 1.5, note: null });
});

test('mapped fields have one megabyte together, whichever value they name', () => {
  const text = JSON.stringify({ large: 'x'.repeat(900_000), small: 'y' });
  const map = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`n${index}`, '$.large']));
  const told = respond(text, { ...map, last: '$.small' });
  expect(Object.keys(told)).toEqual(['n0', 'last']);
  expect(JSON.stringify(told).length).toBeLessThan(1024 * 1024);
});

test('no path reaches a prototype', () => {
  expect(
    respond(ORDER, {
      a: '$.constructor',
      b: '$.order.lines.length',
      c: '$.order.status.length',
      d: '$.order.toString',
    }),
  ).toEqual({});
});

test('without a map, the top-level strings, numbers, booleans and nulls are returned', () => {
  expect(respond(ORDER)).toEqual({ total: 1.5, paid: true, note: null });
});

test.each([
  ['[1,2]', {}],
  ['"text"', {}],
  ['5', {}],
  ['null', {}],
])('the JSON %s has no top-level fields', (text, told) => {
  expect(respond(text)).toEqual(told);
});

test.each([
  ['', ''],
  ['<html>', '<html>'],
  ['x'.repeat(501), 'x'.repeat(500)],
  ['👩'.repeat(501), '👩'.repeat(500)],
])('of a response that is not JSON, the first 500 characters are returned', (text, told) => {
  expect(respond(text)).toBe(told);
  expect(respond(text, { a: '$.a' })).toBe(told);
});

test('only a value that is nested too deeply for JSON.stringify is left out', () => {
  const deep = `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"status":"sent"}`;
  expect(respond(deep, { status: '$.status', deep: '$.deep' })).toEqual({ status: 'sent' });
  expect(respond(deep)).toEqual({ status: 'sent' });
});
