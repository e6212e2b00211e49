/** The results of one section of the benchmark. */
export type Section = {
  readonly title: string;
  /** What the section measures and how, in a few sentences. */
  readonly method: string;
  readonly tables: readonly Table[];
  readonly goals?: readonly Goal[];
};

export type Table = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
};

type Goal = {
  readonly name: string;
  readonly required: string;
  readonly found: string;
  readonly met: boolean;
};

/** Creates a goal for a number that must reach a minimum or not exceed a maximum. */
export function goal(name: string, found: number, limit: { readonly min: number } | { readonly max: number }): Goal {
  const [required, met] =
    'min' in limit ? [`≥ ${limit.min}`, found >= limit.min] : [`≤ ${limit.max}`, found <= limit.max];
  return { name, required, found: digits(found), met };
}

/** Formats a number with three significant digits, or as a whole number from 100 on. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** Returns a section as Markdown: heading, method, tables and goals. */
export function sectionMarkdown({ title, method, tables, goals = [] }: Section): string {
  const goalTable: Table[] =
    goals.length === 0
      ? []
      : [
          {
            columns: ['Goal', 'required', 'measured', 'result'],
            rows: goals.map(({ name, required, found, met }) => [name, required, found, met ? 'met' : '**not met**']),
          },
        ];
  return [`## ${title}`, method, ...[...tables, ...goalTable].map(tableMarkdown)].join('\n\n');
}

/** Returns a table as Markdown, with numbers to the right. */
export function tableMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? digits(cell) : cell)).join(' | ')} |`;
  const isText = (index: number) => rows.every((row) => /^[^\d<*–]/.test(String(row[index])));
  const rule = columns.map((_, index) => (index === 0 || isText(index) ? '---' : '---:'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}
