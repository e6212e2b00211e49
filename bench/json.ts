import { parseJson } from '../src/domain/parse-json.ts';
import { goals, type Section } from './report.ts';

const list = (length: number, item: (index: number) => unknown) =>
  `[${Array.from({ length }, (_, index) => item(index)).join(',')}]`;
const people = list(9000, (index) =>
  JSON.stringify({ id: index, name: `Person ${index}`, tags: ['a', 'b'], score: index / 8, on: index % 2 === 0 }),
);

/** Texts without a number that JavaScript would write otherwise, of about 1 MB each. */
const USUAL: Readonly<Record<string, string>> = {
  'records of people': people,
  'text with escapes': list(12_000, (index) => JSON.stringify({ text: `a line\nbreak and "quotes" ${index}`, index })),
};
/** Texts with such numbers, of about 1 MB each. */
const UNUSUAL: Readonly<Record<string, string>> = {
  'the same with one number of 19 digits': `[2512292042121000001,${people}]`,
  'numbers of 19 digits alone': list(50_000, (index) => `251229204212${1_000_000 + index}`),
  'numbers with exponents alone': list(100_000, (index) => `${index}e400`),
  'fractions of 17 digits alone': list(55_000, () => Math.random()),
  'one number of a million digits': `[${'9'.repeat(1_000_000)}]`,
  'half a million levels': `${'['.repeat(500_000)}1e400${']'.repeat(500_000)}`,
};
const ROUNDS = 15;

export async function json(): Promise<Section> {
  const measurements = Object.entries({ ...USUAL, ...UNUSUAL }).map(
    ([name, text]): [string, number, number, number] => {
      const [plain, exact] = fastest([(): unknown => JSON.parse(text), () => parseJson(text)]);
      return [name, plain, exact, exact / plain];
    },
  );
  const worst = (texts: object) => Math.max(...measurements.map(([name, , , ratio]) => (name in texts ? ratio : 0)));
  return {
    title: 'JSON',
    method: `CPU time for a text of about 1 MB, the fastest of ${ROUNDS} rounds.`,
    tables: [
      { columns: ['Text', 'JSON.parse, ms', 'parseJson, ms', 'ratio'], rows: measurements },
      goals(
        ['Ratio without an unusual number', worst(USUAL), { max: 3 }],
        ['Ratio with unusual numbers', worst(UNUSUAL), { max: 10 }],
      ),
    ],
  };
}

/** Returns the milliseconds of processor time that each parser takes in its fastest round. */
function fastest(parsers: readonly [() => unknown, () => unknown]): [number, number] {
  const best: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    for (const index of [0, 1] as const) {
      const before = process.cpuUsage();
      parsers[index]();
      const { user, system } = process.cpuUsage(before);
      best[index] = Math.min(best[index], (user + system) / 1000);
    }
  }
  return best;
}
