/** What one part of the benchmark found. */
export type Section = {
  readonly title: string;
  /** What was measured and how, in a few sentences. */
  readonly method: string;
  readonly tables: readonly Table[];
  readonly goals?: readonly Goal[];
};

export type Table = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
};

export type Goal = {
  readonly name: string;
  readonly goal: string;
  readonly found: string;
  readonly met: boolean;
};

/** A goal that is a ratio. */
export function ratioGoal(name: string, found: number, limit: { readonly min?: number; readonly max?: number }): Goal {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limit;
  const goal = limit.min === undefined ? `≤ ${max}` : `≥ ${min}`;
  return { name, goal, found: digits(found), met: found >= min && found <= max };
}

/** Three significant digits, whole numbers whole. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

export function sectionMarkdown({ title, method, tables, goals = [] }: Section): string {
  const goalTable: Table[] =
    goals.length === 0
      ? []
      : [
          {
            columns: ['Goal', 'wanted', 'found', ''],
            rows: goals.map(({ name, goal, found, met }) => [name, goal, found, met ? 'met' : '**not met**']),
          },
        ];
  return [`## ${title}`, method, ...[...tables, ...goalTable].map(tableMarkdown)].join('\n\n');
}

function tableMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? digits(cell) : cell)).join(' | ')} |`;
  const rule = columns.map((_, index) => (index === 0 ? '---' : '---:'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}
