export type Section = { readonly title: string; readonly method: string; readonly tables: readonly Table[] };

/** A table of a report. Numbers are formatted by `digits`. */
export type Table = { readonly columns: readonly string[]; readonly rows: readonly (readonly (string | number)[])[] };

/** Returns the measurements that the command line names, or all of them. @throws Error for another name */
export function chosenMeasurementsOf<Measure>(
  all: Readonly<Record<string, Measure>>,
): readonly (readonly [string, Measure])[] {
  const chosenNames = process.argv.slice(2);
  const unknown = chosenNames.filter((name) => !(name in all));
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(', ')}; there are ${Object.keys(all).join(', ')}`);
  return Object.entries(all).filter(([name]) => chosenNames.length === 0 || chosenNames.includes(name));
}

type Goal = readonly [name: string, found: number, limit: { readonly min: number } | { readonly max: number }];

export const goals = (...all: readonly Goal[]): Table => ({
  columns: ['Goal', 'required', 'measured', 'result'],
  rows: all.map(([name, found, limit]) => {
    const [required, met] =
      'min' in limit ? [`≥ ${limit.min}`, found >= limit.min] : [`≤ ${limit.max}`, found <= limit.max];
    return [name, required, digits(found), met ? 'met' : '**not met**'];
  }),
});

/** Formats a number with three significant digits, or as a whole number from 100 on. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

export const sectionMarkdown = ({ title, method, tables }: Section): string =>
  [`## ${title}`, method, ...tables.map(tableMarkdown)].join('\n\n');

/** Returns a table as Markdown, with numbers to the right. A number may also be absent (–), begin with `<` or be bold (`*`). */
export function tableMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? digits(cell) : cell)).join(' | ')} |`;
  const isText = (index: number) => rows.every((row) => /^(?:\*\*)?[^\d<*–]/.test(String(row[index])));
  const rule = columns.map((_, index) => (index === 0 || isText(index) ? '---' : '---:'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}

/** Returns a Markdown page with the rows of its tables that have the heads of these. Their lines that align the columns stay. @throws Error when the page lacks one */
export function withTables(page: string, tables: readonly Table[]): string {
  const lines = page.split('\n');
  for (const table of tables) {
    const [head = '', , ...rows] = tableMarkdown(table).split('\n');
    const start = lines.indexOf(head);
    if (start === -1) throw new Error(`The page has no table ${head}`);
    const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
    lines.splice(start + 2, end - start - 2, ...rows);
  }
  return lines.join('\n');
}
