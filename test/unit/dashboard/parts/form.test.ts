import { withoutPage } from '../without-page.ts';

const {
  changeOf,
  changedValues,
  changesBetween,
  fittingValues,
  isStored,
  NEW,
  writtenSettings,
  valuesOf,
  withoutOuterSpace,
} = await withoutPage(() => import('../../../../dashboard/src/parts/form.ts'));

const ROWS = {
  name: { label: 'Name', blank: '' },
  limit: { label: 'Limit', blank: '', read: String, write: Number },
  note: { label: 'Note', blank: '', isOptional: true },
} as const;

test('values come from what is stored, or are blank', () => {
  expect(valuesOf(ROWS, { name: 'Shop', limit: 5, other: 1 })).toEqual({ name: 'Shop', limit: '5', note: '' });
});

test('a blank optional value is none', () => {
  expect(writtenSettings(ROWS, { name: '', limit: '7', note: '' })).toEqual({ name: '', limit: 7 });
  expect(writtenSettings(ROWS, { name: '', limit: '7', note: 'n' })).toEqual({ name: '', limit: 7, note: 'n' });
});

test('a change has only what the input changes, and null for what it removes', () => {
  const base = { name: 'Shop', limit: 5, note: 'n' };
  expect(changeOf(ROWS, base, { name: 'Shop', limit: '5', note: 'n' })).toEqual({});
  expect(changeOf(ROWS, base, { name: 'Store', limit: '5', note: '' })).toEqual({ name: 'Store', note: null });
});

test('values differ by their content, also where one side has no such field', () => {
  expect(changedValues({ a: [1], b: 1 }, { a: [1], c: 2 })).toEqual({ b: undefined, c: 2 });
});

test.each([
  [
    { name: 'Typed', list: ['a'] },
    { name: 'Typed', list: ['a'] },
  ],
  [{ name: 5, list: ['a'] }, { list: ['a'] }],
  [{ name: 'Typed', list: 'a text' }, { name: 'Typed' }],
  [{ name: 'Typed', gone: 1 }, { name: 'Typed' }],
  [{}, {}],
])('of a draft of an earlier version %j, the form takes %j', (stored, values) => {
  expect(fittingValues<object>({ name: '', list: [''] }, stored)).toEqual(values);
});

test('white space is removed around texts, entries and parts of rows, and nowhere else', () => {
  const typed = { name: '\u00a0a b \ufeff', list: [' a', 'b '], rows: [{ id: '1', key: ' k ' }], on: true, none: null };
  expect(withoutOuterSpace(typed)).toEqual({
    name: 'a b',
    list: ['a', 'b'],
    rows: [{ id: '1', key: 'k' }],
    on: true,
    none: null,
  });
});

test.each([
  ['Shop', 'Store', 'Mine', { before: 'Shop', after: 'Store', yours: 'Mine' }],
  [undefined, 'Store', '', { before: 'not set', after: 'Store', yours: 'not set' }],
  [true, false, true, { before: 'on', after: 'off', yours: 'on' }],
  [['a'], [], ['a', 'b', ''], { before: 'a', after: 'empty', yours: 'a, b' }],
  [null, { last_six: 'abcdef' }, null, { before: 'not set', after: '…abcdef', yours: 'not set' }],
  [
    [{ id: '1' }],
    [{ id: '2' }],
    [{ id: '1' }],
    { before: 'other entries', after: 'other entries', yours: 'other entries' },
  ],
])('a conflict shows %j as %j, beside the input %j', (before, after, yours, shown) => {
  const draft = { base: { name: before }, values: { name: yours }, id: '1' };
  expect(changesBetween(draft, { name: after, version: 2 }, ROWS)).toEqual([{ label: 'Name', ...shown }]);
});

test('what has no version yet is not stored', () => {
  expect(isStored(NEW)).toBe(false);
});
