import { dynamoDbClient } from '../../../../src/adapters/aws-clients.ts';
import { batchedReads, batchedWrites } from '../../../../src/adapters/dynamodb/batch-calls.ts';
import { type BatchedWrite, type DynamoDb, dynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { isThrottled } from '../../../../src/adapters/dynamodb/storage-errors.ts';
import { FakeAwsServices } from '../../../fakes/aws-services.ts';

type Input = Parameters<DynamoDb['batchGet']>[0];
type Answer = (input: Input) => Awaited<ReturnType<DynamoDb['batchGet']>>;

const key = (sk: string) => ({ pk: 'p', sk });
const all: Answer = ({ Keys }) => ({ Items: Keys, UnprocessedKeys: [] });
const allBut =
  (throttled: string): Answer =>
  ({ Keys }) => ({
    Items: Keys.filter(({ sk }) => sk !== throttled),
    UnprocessedKeys: Keys.filter(({ sk }) => sk === throttled),
  });
const away = () => {
  throw new Error('away');
};

/** @param answers one per call; the last one is repeated */
function reads(...answers: readonly Answer[]) {
  const calls: string[][] = [];
  const batchGet = async (input: Input) => {
    calls.push(input.Keys.map(({ sk }) => String(sk)));
    return (answers[calls.length - 1] ?? answers.at(-1) ?? all)(input);
  };
  const read = batchedReads({ batchGet }, 'table');
  return { calls, read: (sk: string) => read(key(sk)) };
}

describe('the reads of one turn', () => {
  test('share a call, in which each key is once, and a missing item is undefined', async () => {
    const { calls, read } = reads(({ Keys }) => ({ Items: Keys.slice(1).toReversed(), UnprocessedKeys: [] }));
    expect(await Promise.all(['a', 'b', 'c', 'b'].map(read))).toEqual([undefined, key('b'), key('c'), key('b')]);
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  test('need a second call for more than a hundred keys', async () => {
    const { calls, read } = reads(all);
    await Promise.all(Array.from({ length: 101 }, (_, index) => read(`${index}`)));
    expect(calls.map(({ length }) => length)).toEqual([100, 1]);
  });

  test('do not wait for a throttled one, which is read again alone', async () => {
    const { calls, read } = reads(allBut('b'), all);
    const [a, b, c] = ['a', 'b', 'c'].map(read);
    expect(await Promise.all([a, c])).toEqual([key('a'), key('c')]);
    expect(calls).toHaveLength(1);
    expect(await b).toEqual(key('b'));
    expect(calls).toEqual([['a', 'b', 'c'], ['b']]);
  });

  test.each([
    ['stays throttled for four calls', [allBut('b')], 'DynamoDB did not process 1 parts of a call'],
    ['fails in a later call', [allBut('b'), away], 'away'],
  ])('do not fail with one that %s', async (_, answers, message) => {
    const { read } = reads(...answers);
    const [a, b, c] = await Promise.allSettled(['a', 'b', 'c'].map(read));
    expect([a, c]).toMatchObject([{ value: key('a') }, { value: key('c') }]);
    expect(b).toMatchObject({ reason: { message } });
  });
});

/** A table that answers each insert with the next error code of its key. undefined = it is made */
function writes(codes: Readonly<Record<string, readonly (string | undefined)[]>> = {}) {
  const calls: string[][] = [];
  const left = new Map(Object.entries(codes).map(([pk, own]) => [pk, [...own]]));
  const writeEach = async (_: string, asked: readonly BatchedWrite[]) => {
    const pks = asked.map((write) => String('insert' in write ? write.insert.pk : write.key.pk));
    calls.push(pks);
    return pks.map((pk) => left.get(pk)?.shift());
  };
  const write = batchedWrites({ writeEach }, 'table');
  return { calls, insert: (pk: string, more: object = {}) => write({ insert: { pk, ...more } }) };
}

describe('the writes of one turn', () => {
  test('are statements of one call, whose values are only parameters', async () => {
    const aws = new FakeAwsServices();
    const Responses = [{}, { Error: { Code: 'DuplicateItem' } }, { Error: { Code: 'ConditionalCheckFailed' } }];
    aws.on('BatchExecuteStatement', {}, { Responses });
    const write = batchedWrites(dynamoDb(dynamoDbClient(aws.access())), 'log');
    const update = {
      key: { pk: 'c', sk: 's' },
      changes: { state: 'ended', failure: null, gone: undefined },
      expectedValues: { state: 'started' },
    };
    const asked = [{ insert: { pk: "'; DELETE", sends: 1 } }, { insert: { pk: 'b', left_out: undefined } }, update];
    expect(await Promise.all(asked.map(write))).toEqual([true, false, false]);
    expect(aws.callsOf('BatchExecuteStatement').map(({ Statements }) => Statements)).toEqual([
      [
        {
          Statement: `INSERT INTO "log" VALUE {'v': ?, 'pk': ?, 'sends': ?}`,
          Parameters: [{ N: '1' }, { S: "'; DELETE" }, { N: '1' }],
        },
        { Statement: `INSERT INTO "log" VALUE {'v': ?, 'pk': ?}`, Parameters: [{ N: '1' }, { S: 'b' }] },
        {
          Statement: 'UPDATE "log" SET "state" = ?, "failure" = ? WHERE "pk" = ? AND "sk" = ? AND "state" = ?',
          Parameters: [{ S: 'ended' }, { NULL: true }, { S: 'c' }, { S: 's' }, { S: 'started' }],
        },
      ],
    ]);
  });

  test('are in different calls when they have the same key, are more than 25, or are large', async () => {
    const { calls, insert } = writes();
    await Promise.all(['a', 'a', 'b'].map((pk) => insert(pk)));
    expect(calls.splice(0)).toEqual([['a'], ['a', 'b']]);
    await Promise.all(Array.from({ length: 26 }, (_, index) => insert(`${index}`)));
    expect(calls.splice(0).map(({ length }) => length)).toEqual([25, 1]);
    const payload_gzip = Buffer.alloc(360 * 1024);
    await Promise.all([insert('a'), insert('b', { payload_gzip }), insert('c', { payload_gzip })]);
    expect(calls).toEqual([['a', 'b'], ['c']]);
  });

  test('do not wait for a throttled one, which is made again alone', async () => {
    const { calls, insert } = writes({ b: ['ThrottlingError', 'ProvisionedThroughputExceeded', 'DuplicateItem'] });
    expect(await Promise.all(['a', 'b', 'c'].map((pk) => insert(pk)))).toEqual([true, false, true]);
    expect(calls).toEqual([['a', 'b', 'c'], ['b'], ['b']]);
  });

  test('do not fail with one that stays throttled, or that cannot be made', async () => {
    const { insert } = writes({ b: Array(4).fill('RequestLimitExceeded'), c: ['ValidationError'] });
    const [a, b, c] = await Promise.allSettled(['a', 'b', 'c'].map((pk) => insert(pk)));
    expect(a).toEqual({ status: 'fulfilled', value: true });
    expect(b?.status === 'rejected' && isThrottled(b.reason)).toBe(true);
    expect(c).toMatchObject({ reason: { message: 'DynamoDB did not make a write: ValidationError' } });
  });

  test('fail with their call, and none is made again', async () => {
    let calls = 0;
    const writeEach = async () => {
      calls += 1;
      throw new Error('away');
    };
    const write = batchedWrites({ writeEach }, 'table');
    const failed = await Promise.allSettled(['a', 'b'].map((pk) => write({ insert: { pk } })));
    expect([failed.map(({ status }) => status), calls]).toEqual([['rejected', 'rejected'], 1]);
  });
});
