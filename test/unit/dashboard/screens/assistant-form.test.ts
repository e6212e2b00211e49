import { withoutPage } from '../without-page.ts';

const { ASSISTANT_ROWS, entriesIn, limitOf, repairedValues } = await withoutPage(
  () => import('../../../../dashboard/src/screens/assistant-form.ts'),
);
const { allowed_domains: row } = ASSISTANT_ROWS;

test.each([
  ['a.example\nHTTPS://B.example/start\n', ['a.example', 'HTTPS://B.example/start']],
  ['a.example, b.example;c.example', ['a.example', 'b.example', 'c.example']],
  ['203.0.113.1\t203.0.113.2', ['203.0.113.1', '203.0.113.2']],
  [' ,; ', []],
])('the text %j has the entries %j', (typed, entries) => {
  expect(entriesIn(typed)).toEqual(entries);
});

test('a list has room for what is typed, and is saved with it', () => {
  expect(row.read?.(['a.example'])).toEqual(['a.example', '']);
  expect(row.write?.(['a.example', ''])).toEqual(['a.example']);
  expect(row.write?.(['a.example', 'b.example, c.example'])).toEqual(['a.example', 'b.example', 'c.example']);
  expect(row.write?.([])).toEqual([]);
});

test('a repair of a list leaves room for what is typed, and of another setting leaves the list', () => {
  expect(repairedValues({ allowed_domains: ['a.example'] })).toEqual({ allowed_domains: ['a.example', ''] });
  expect(repairedValues({ enabled: true })).toEqual({ enabled: true });
});

test.each(['', '-5', '1.5', '1e3', '0x10', '1,000', '\u0665\u0660', 'Infinity'])('%j is no limit', (typed) => {
  expect(limitOf(typed)).toBeNaN();
});

test('a limit is written in digits', () => {
  expect(limitOf('0100')).toBe(100);
});
