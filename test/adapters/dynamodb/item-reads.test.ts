import type { DynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { itemsOf } from '../../../src/adapters/dynamodb/item-reads.ts';

type BatchGet = DynamoDb['batchGet'];
type Input = Parameters<BatchGet>[0];

const key = (sk: string) => ({ pk: 'p', sk });
const nameOf = ({ sk }: Readonly<Record<string, unknown>>) => String(sk);

/** Reads three items with these answers, one per call. The last one is repeated. */
function read(...answers: readonly ((input: Input) => Awaited<ReturnType<BatchGet>>)[]) {
  const calls: string[][] = [];
  const batchGet: BatchGet = async (input) => {
    calls.push(input.Keys.map(nameOf));
    return (answers[calls.length - 1] ?? answers.at(-1) ?? all)(input);
  };
  return { calls, results: itemsOf({ batchGet }, 'table', ['a', 'b', 'c'].map(key)) };
}

const all = ({ Keys }: Input) => ({ Items: Keys, UnprocessedKeys: [] });
/** Reads all but b. */
const throttled = ({ Keys }: Input) => ({
  Items: Keys.filter((one) => one.sk !== 'b'),
  UnprocessedKeys: Keys.filter((one) => one.sk === 'b'),
});

test('each key has its own item, and a missing item is undefined', async () => {
  const { calls, results } = read(({ Keys }) => ({ Items: Keys.slice(1).toReversed(), UnprocessedKeys: [] }));
  expect(await Promise.all(results)).toEqual([undefined, key('b'), key('c')]);
  expect(calls).toEqual([['a', 'b', 'c']]);
});

test('only a throttled key is read again, and the others do not wait for it', async () => {
  const { calls, results } = read(throttled, all);
  expect(await Promise.all([results[0], results[2]])).toEqual([key('a'), key('c')]);
  expect(calls).toHaveLength(1);
  expect(await results[1]).toEqual(key('b'));
  expect(calls).toEqual([['a', 'b', 'c'], ['b']]);
});

test('a key that stays throttled fails after four calls, and no other key fails', async () => {
  const { calls, results } = read(throttled);
  expect(await Promise.allSettled(results)).toEqual([
    { status: 'fulfilled', value: key('a') },
    { status: 'rejected', reason: new Error('DynamoDB did not process 1 items') },
    { status: 'fulfilled', value: key('c') },
  ]);
  expect(calls).toHaveLength(4);
});

test('a later call that fails fails only what it should have read', async () => {
  const away = new Error('away');
  const { results } = read(throttled, () => {
    throw away;
  });
  expect(await Promise.allSettled(results)).toEqual([
    { status: 'fulfilled', value: key('a') },
    { status: 'rejected', reason: away },
    { status: 'fulfilled', value: key('c') },
  ]);
});

test('a first call that fails fails all keys', async () => {
  const { results } = read(() => {
    throw new Error('away');
  });
  expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});
