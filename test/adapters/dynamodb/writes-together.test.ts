import type { WriteStatement } from '../../../src/adapters/dynamodb/client.ts';
import { writesTogether } from '../../../src/adapters/dynamodb/writes-together.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes to a table that makes those whose key does not begin with `refused`. */
function aTable() {
  const calls: (readonly WriteStatement[])[] = [];
  const alone: string[] = [];
  const state: { failure: Error | undefined } = { failure: undefined };
  const writes = writesTogether(
    {
      writeEach: async (statements) => {
        calls.push(statements);
        if (state.failure !== undefined) throw state.failure;
        return statements.map(({ parameters }) => !parameters.some((value) => String(value).startsWith('refused')));
      },
    },
    'log',
  );
  const insert = async (pk: string, more: object = {}) => {
    if (await writes.insert({ pk, ...more })) return 'together';
    alone.push(pk);
    return 'alone';
  };
  return { calls, alone, state, writes, insert };
}

test('writes of one turn share a call, and values are only parameters', async () => {
  const { calls, alone, insert } = aTable();
  expect(await Promise.all([insert("'; DELETE", { sends: 1 }), insert('b', { left_out: undefined })])).toEqual([
    'together',
    'together',
  ]);
  expect(calls).toEqual([
    [
      { text: `INSERT INTO "log" VALUE {'v': ?, 'pk': ?, 'sends': ?}`, parameters: [1, "'; DELETE", 1] },
      { text: `INSERT INTO "log" VALUE {'v': ?, 'pk': ?}`, parameters: [1, 'b'] },
    ],
  ]);
  expect(alone).toEqual([]);
});

test('a change states its key and its condition', async () => {
  const { calls, writes } = aTable();
  const change = (pk: string) =>
    writes.update({
      key: { pk, sk: 's' },
      set: { state: 'ended', failure: null, gone: undefined },
      when: { state: 'started' },
    });
  expect(await Promise.all([change('a'), change('refused')])).toEqual([true, false]);
  expect(calls[0]?.[0]).toEqual({
    text: 'UPDATE "log" SET "state" = ?, "failure" = ? WHERE "pk" = ? AND "sk" = ? AND "state" = ?',
    parameters: ['ended', null, 'a', 's', 'started'],
  });
});

test('a single write is made alone', async () => {
  const { calls, insert } = aTable();
  expect(await insert('a')).toBe('alone');
  await turn();
  expect(await insert('b')).toBe('alone');
  expect(calls).toEqual([]);
});

test('a write that the call did not make is left to its caller', async () => {
  const { insert } = aTable();
  expect(await Promise.all([insert('a'), insert('refused'), insert('b')])).toEqual(['together', 'alone', 'together']);
});

test('a call that fails fails each of its writes, and no write is repeated alone', async () => {
  const { alone, insert, state } = aTable();
  state.failure = new Error('unavailable');
  const results = await Promise.allSettled([insert('a'), insert('b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(alone).toEqual([]);
});

test('a call has 25 writes at most', async () => {
  const { calls, alone, insert } = aTable();
  await Promise.all(Array.from({ length: 51 }, (_, index) => insert(`item-${index}`)));
  expect(calls.map((statements) => statements.length)).toEqual([25, 25]);
  expect(alone).toEqual(['item-50']);
});

test('large writes do not share a call', async () => {
  const { calls, alone, insert } = aTable();
  const payload_gzip = Buffer.alloc(360 * 1024);
  const small = [insert('a'), insert('b')];
  const large = [
    insert('c', { payload_gzip }),
    insert('d', { payload_gzip }),
    insert('e', { payload: 'x'.repeat(600_000) }),
  ];
  await Promise.all([...small, ...large]);
  expect(calls.map((statements) => statements.length)).toEqual([3]);
  expect(alone).toEqual(['d', 'e']);
});
