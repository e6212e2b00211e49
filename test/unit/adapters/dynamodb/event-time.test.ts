import type { DynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { deliveryLogReads, logPartitions } from '../../../../src/adapters/dynamodb/delivery-records.ts';
import { mustRead } from '../../../fakes/delivery.ts';

type Page = { readonly Items: readonly { readonly sk: string }[] };
const of = (...references: readonly string[]): Page => ({
  Items: references.map((reference) => ({ sk: `2026-03-04T05:06:00Z#${reference}#1` })),
});

/** Returns a DynamoDB whose logs have these pages. Reading an Error throws it. */
const withLogs = (logs: Readonly<Record<string, readonly (Page | Error)[]>>): Pick<DynamoDb, 'queryPages'> => ({
  queryPages: async function* (input) {
    const [, pages = []] =
      Object.entries(logs).find(([id]) => logPartitions(id).includes(input.ExpressionAttributeValues?.[':pk'])) ?? [];
    for (const page of pages) {
      if (page instanceof Error) throw page;
      yield page;
    }
  },
});

const throttled = new Error('throttled');
const search = (logs: Parameters<typeof withLogs>[0]) =>
  deliveryLogReads(withLogs(logs), 'log', mustRead).eventTime(Object.keys(logs), 'event-1');

test('an event is found on a later page of any of the logs, also when the others have ended', async () => {
  expect(await search({ act_a: [of('other')], act_b: [of('other'), of(), of('other', 'event-1')], act_c: [] })).toBe(
    '2026-03-04T05:06:00Z',
  );
  expect(await search({ act_a: [of('other')], act_b: [] })).toBeUndefined();
});

test.each([
  ['in its first turn', { act_a: [of('other')], act_b: [throttled] }],
  ['in a later turn, after the others have ended', { act_a: [of('other')], act_b: [of('other'), throttled] }],
])('a log that cannot be read %s fails the search with its error', async (_, logs) => {
  await expect(search(logs)).rejects.toBe(throttled);
});
