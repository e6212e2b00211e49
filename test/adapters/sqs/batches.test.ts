import fc from 'fast-check';
import { BATCH_MAX_BYTES, batchesOf } from '../../../src/adapters/sqs/batches.ts';

const sized = (...sizes: readonly number[]) => sizes.map((bytes, index) => ({ bytes, index }));
const lengths = (...sizes: readonly number[]) => batchesOf(sized(...sizes)).map((batch) => batch.length);

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
  expect(lengths(BATCH_MAX_BYTES / 2, BATCH_MAX_BYTES / 2)).toEqual([2]);
  expect(lengths(BATCH_MAX_BYTES / 2, BATCH_MAX_BYTES / 2 + 1)).toEqual([1, 1]);
  expect(lengths(BATCH_MAX_BYTES, 300)).toEqual([1, 1]);
});

test('no entry is lost or repeated, the order stays, and both limits hold', () => {
  const small = fc.integer({ min: 250, max: 2000 });
  const any = fc.integer({ min: 250, max: BATCH_MAX_BYTES });
  fc.assert(
    fc.property(fc.array(fc.oneof(small, small, small, any), { maxLength: 25 }), (sizes) => {
      const entries = sized(...sizes);
      const batches = batchesOf(entries);
      expect(batches.flat()).toEqual(entries);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(10);
        expect(batch.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(BATCH_MAX_BYTES);
      }
    }),
  );
});
