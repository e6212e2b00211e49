import fc from 'fast-check';
import { batchesOf } from '../../src/adapters/batches.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = { entries: 10, bytes: MEGABYTE };

const sized = (...sizes: readonly number[]) => sizes.map((bytes, index) => ({ bytes, index }));
const lengths = (...sizes: readonly number[]) => batchesOf(sized(...sizes), LIMITS).map((batch) => batch.length);

test.each([
  [0, []],
  [1, [1]],
  [10, [10]],
  [11, [10, 1]],
  [50, [10, 10, 10, 10, 10]],
])('a batch has at most ten entries: %p as %p', (count, expected) => {
  expect(lengths(...Array<number>(count).fill(300))).toEqual(expected);
});

test('a batch has at most one megabyte', () => {
  expect(lengths(MEGABYTE / 2, MEGABYTE / 2)).toEqual([2]);
  expect(lengths(MEGABYTE / 2, MEGABYTE / 2 + 1)).toEqual([1, 1]);
  expect(lengths(MEGABYTE, 300)).toEqual([1, 1]);
  expect(lengths(300, MEGABYTE + 1, 300, 300)).toEqual([1, 1, 2]);
});

test('no entry is lost or repeated, the order stays, and both limits hold', () => {
  const small = fc.integer({ min: 250, max: 2000 });
  const any = fc.integer({ min: 250, max: MEGABYTE });
  fc.assert(
    fc.property(fc.array(fc.oneof(small, small, small, any), { maxLength: 25 }), (sizes) => {
      const entries = sized(...sizes);
      const batches = batchesOf(entries, LIMITS);
      expect(batches.flat()).toEqual(entries);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(10);
        expect(batch.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(MEGABYTE);
      }
    }),
  );
});
