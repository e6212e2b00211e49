import { dynamoDbClient } from '../../../src/adapters/aws-clients.ts';
import { dynamoDb, type SharedWrite } from '../../../src/adapters/dynamodb/client.ts';
import { writesTogether } from '../../../src/adapters/dynamodb/writes-together.ts';
import { FakeAwsServices } from '../../fakes/aws-services.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes to a table that makes each of them. */
function aTable() {
  const calls: (readonly SharedWrite[])[] = [];
  const alone: string[] = [];
  const state: { failure: Error | undefined } = { failure: undefined };
  const write = writesTogether(
    {
      writeEach: async (_, asked) => {
        calls.push(asked);
        if (state.failure !== undefined) throw state.failure;
        return asked.map(() => true);
      },
    },
    'log',
  );
  const insert = async (pk: string, more: object = {}) => {
    if (await write({ insert: { pk, ...more } })) return 'together';
    alone.push(pk);
    return 'alone';
  };
  return { calls, alone, state, insert };
}

// The client repeats a throttled call, but no statement of one: made alone, the write has these repetitions.
test.each(['ConditionalCheckFailed', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
  'writes of one turn share a call, values are only parameters, and one that ends with %s is left to its caller',
  async (Code) => {
    const aws = new FakeAwsServices();
    aws.on('BatchExecuteStatement', {}, { Responses: [{}, { Error: { Code } }, {}] });
    const write = writesTogether(dynamoDb(dynamoDbClient(aws.access())), 'log');
    const update = {
      key: { pk: 'b', sk: 's' },
      set: { state: 'ended', failure: null, gone: undefined },
      when: { state: 'started' },
    };
    const writes = [{ insert: { pk: "'; DELETE", sends: 1 } }, { insert: { pk: 'b', left_out: undefined } }, update];
    expect(await Promise.all(writes.map(write))).toEqual([true, false, true]);
    expect(aws.callsOf('BatchExecuteStatement').map(({ Statements }) => Statements)).toEqual([
      [
        {
          Statement: `INSERT INTO "log" VALUE {'v': ?, 'pk': ?, 'sends': ?}`,
          Parameters: [{ N: '1' }, { S: "'; DELETE" }, { N: '1' }],
        },
        { Statement: `INSERT INTO "log" VALUE {'v': ?, 'pk': ?}`, Parameters: [{ N: '1' }, { S: 'b' }] },
        {
          Statement: 'UPDATE "log" SET "state" = ?, "failure" = ? WHERE "pk" = ? AND "sk" = ? AND "state" = ?',
          Parameters: [{ S: 'ended' }, { NULL: true }, { S: 'b' }, { S: 's' }, { S: 'started' }],
        },
      ],
    ]);
  },
);

test('a single write is made alone', async () => {
  const { calls, insert } = aTable();
  expect(await insert('a')).toBe('alone');
  await turn();
  expect(await insert('b')).toBe('alone');
  expect(calls).toEqual([]);
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
  expect(calls.map((writes) => writes.length)).toEqual([25, 25]);
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
  expect(calls.map((writes) => writes.length)).toEqual([3]);
  expect(alone).toEqual(['d', 'e']);
});
