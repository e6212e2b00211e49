import { FakeOperator } from './operator.ts';

test('raises what a table takes at once, and never lowers it', async () => {
  const operator = new FakeOperator();
  const warm = async () => {
    const { code, out } = await operator.run('warm', '--deliveries-per-second', '10000', '--yes', '--json');
    expect(code).toBe(0);
    return JSON.parse(out);
  };
  const tables = [
    { table: 'configuration', reads: 20_000, writes: 4000 },
    { table: 'counters', reads: 12_000, writes: 20_000 },
    { table: 'delivery_log', reads: 12_000, writes: 50_000 },
  ];
  expect(await warm()).toEqual(tables.map((one, at) => ({ ...one, raised: at < 2 })));
  expect(await warm()).toEqual(tables.map((one) => ({ ...one, raised: false })));
});
