import {
  ConditionFailed,
  conditionFailure,
  TransactionCancelled,
  transactionFailures,
  whenConditionHolds,
} from '../../../src/adapters/dynamodb/storage-errors.ts';

const cancelled = (...codes: string[]) => new TransactionCancelled(codes);

describe('a conditional write', () => {
  test('returns the existing item when its condition did not hold, and nothing when it was made', async () => {
    const item = { h0: 5, name: 'x' };
    expect(await conditionFailure(Promise.reject(new ConditionFailed(item)))).toEqual(item);
    expect(await conditionFailure(Promise.resolve({}))).toBeUndefined();
    expect(await whenConditionHolds(Promise.reject(new ConditionFailed()))).toBe(false);
    expect(await whenConditionHolds(Promise.resolve({}))).toBe(true);
  });

  test('that failed for another reason throws', async () => {
    await expect(whenConditionHolds(Promise.reject(new Error('away')))).rejects.toThrow('away');
  });
});

describe('a transaction', () => {
  const thrower = (...errors: Error[]) => {
    let calls = 0;
    const run = async () => {
      const error = errors[calls++];
      if (error !== undefined) throw error;
    };
    return { run, calls: () => calls };
  };

  test('returns which conditions did not hold and is not repeated', async () => {
    const { run, calls } = thrower(
      cancelled('None', 'ConditionalCheckFailed', 'TransactionConflict', 'ConditionalCheckFailed'),
    );
    expect(await transactionFailures(run)).toEqual([1, 3]);
    expect(calls()).toBe(1);
  });

  test('is repeated after a conflict with another transaction', async () => {
    const { run, calls } = thrower(cancelled('TransactionConflict', 'None'), cancelled('TransactionConflict', 'None'));
    expect(await transactionFailures(run)).toEqual([]);
    expect(calls()).toBe(3);
  });

  test.each([
    ['was cancelled for another reason', cancelled('ThrottlingError')],
    ['failed for another reason', new Error('away')],
  ])('that %s throws immediately', async (_, error) => {
    const { run, calls } = thrower(error);
    await expect(transactionFailures(run)).rejects.toBe(error);
    expect(calls()).toBe(1);
  });
});
