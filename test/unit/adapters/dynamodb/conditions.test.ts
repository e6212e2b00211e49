import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  ConditionFailed,
  conditionFailure,
  transactionFailures,
  whenConditionHolds,
} from '../../../../src/adapters/dynamodb/storage-errors.ts';

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
  const cancelled = (...codes: string[]) =>
    new TransactionCanceledException({
      message: 'cancelled',
      $metadata: {},
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
  const thrower = (...errors: Error[]) => {
    let calls = 0;
    const send = async () => {
      const error = errors[calls++];
      if (error !== undefined) throw error;
    };
    return { send, calls: () => calls };
  };

  test('returns which conditions did not hold and is not repeated', async () => {
    const { send, calls } = thrower(
      cancelled('None', 'ConditionalCheckFailed', 'TransactionConflict', 'ConditionalCheckFailed'),
    );
    expect(await transactionFailures(send)).toEqual([1, 3]);
    expect(calls()).toBe(1);
  });

  test.each([
    'TransactionConflict',
    'ThrottlingError',
    'ProvisionedThroughputExceeded',
    'RequestLimitExceeded',
    'InternalServerError',
  ])('that DynamoDB did not process because of %s is repeated', async (code) => {
    const { send, calls } = thrower(cancelled(code, 'None'), cancelled('None', code));
    expect(await transactionFailures(send)).toEqual([]);
    expect(calls()).toBe(3);
  });

  test('that DynamoDB does not process at the ninth time is given up', async () => {
    const { send, calls } = thrower(...Array(20).fill(cancelled('TransactionConflict', 'None')));
    await expect(transactionFailures(send)).rejects.toThrow('A transaction was cancelled: TransactionConflict, None');
    expect(calls()).toBe(9);
  });

  test.each([
    [
      'would be refused again',
      cancelled('ValidationError', 'None'),
      'A transaction was cancelled: ValidationError, None',
    ],
    ['failed for another reason', new Error('away'), 'away'],
  ])('that %s throws immediately', async (_, error, message) => {
    const { send, calls } = thrower(error);
    await expect(transactionFailures(send)).rejects.toThrow(message);
    expect(calls()).toBe(1);
  });
});
