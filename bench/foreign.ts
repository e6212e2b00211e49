import { costsAt, growthOf } from '../test/unit/foreign/foreign-cost.ts';
import { FOREIGN_INPUTS } from '../test/unit/foreign/foreign-inputs.ts';
import { goals, type Section } from './report.ts';

const KB = 1024;

export async function foreign(): Promise<Section> {
  const rows = FOREIGN_INPUTS.map((input): [string, number, number, number, number, number] => {
    const [short = 0, middle = 0, long = 0] = costsAt(input, [KB, Math.min(64 * KB, input.limit), input.limit]);
    return [input.name, input.limit / KB, short, middle, long, growthOf(input, input.limit, 0)];
  });
  const most = (column: 3 | 4 | 5) => Math.max(...rows.map((row) => row[column]));
  return {
    title: 'Texts of others',
    method: `Each text is long in one dimension. Time is the fastest of five rounds. Growth is that of the time for each doubling of the length, on average up
to the limit; twice the length costs twice as much.`,
    tables: [
      { columns: ['What is read', 'limit, KB', 'at 1 KB, ms', 'at 64 KB, ms', 'at the limit, ms', 'growth'], rows },
      goals(
        ['The longest at 64 KB, ms', most(3), { max: 5 }],
        ['The longest at its limit, ms', most(4), { max: 50 }],
        ['The most growth', most(5), { max: 2.6 }],
      ),
    ],
  };
}
