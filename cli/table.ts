import { styleText } from 'node:util';
import { plainText } from './plain-text.ts';

const GAP = '  ';

/** Returns the width in columns of a terminal. Combining marks have no width; East Asian wide characters and emoji have two columns. */
function width(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue;
    columns +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return columns;
}

/** Least width of a column that is cut. */
const LEAST = 8;

/** Narrows the widest columns until a line fits, if it can. @param isKept returns whether a column keeps its width */
function fitting(widths: readonly number[], limit: number, isKept: (column: number) => boolean): number[] {
  const next = [...widths];
  for (;;) {
    const line = next.reduce((sum, one) => sum + one, GAP.length * (next.length - 1));
    const widest = Math.max(...next.filter((_, column) => !isKept(column)));
    if (line <= limit || widest <= LEAST) return next;
    next[next.findLastIndex((one, column) => one === widest && !isKept(column))] = widest - 1;
  }
}

/** Returns the beginning of a text with an ellipsis when it is wider than the columns. */
function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  for (const character of text) {
    if (width(kept + character) > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** How a table looks. In a terminal of a known width, lines fit it and times are relative. */
export type Look = { readonly colour: boolean; readonly columns: number | undefined; readonly now: () => Date };
const PLAIN: Look = { colour: false, columns: undefined, now: () => new Date(0) };

/** Returns a table with a heading and one column per key of the first row. Cells are safe for a terminal. It ends with a line feed. */
export function table(
  rows: readonly Readonly<Record<string, string>>[],
  { colour, columns, now }: Look = PLAIN,
): string {
  const names = Object.keys(rows[0] ?? {});
  const shown = (cell: string) => (columns === undefined ? cell : relative(cell, now()));
  const heading = names.map((name): Cell => [name.toUpperCase(), 'bold']);
  const cells = rows.map((row) => names.map((name): Cell => [shown(row[name] ?? ''), formatOf(name, row[name] ?? '')]));
  // Ids are copied into other commands, so they stay complete.
  const isKept = (column: number) => /^(.*_id|nonce)$/.test(names[column] ?? '');
  return lines([heading, ...cells], colour, (widths) =>
    columns === undefined ? widths : fitting(widths, columns, isKept),
  );
}

/** Returns a time of the past as a duration ago, in the units of --since, and any other text unchanged. */
function relative(text: string, now: Date): string {
  const seconds = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? (now.getTime() - Date.parse(text)) / 1000 : -1;
  if (seconds < 0) return text;
  if (seconds < 60) return `${Math.floor(seconds)}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h ago` : `${Math.floor(seconds / 86_400)}d ago`;
}

/** Returns indented names and values. The text ends with a line feed. */
export function fields(rows: readonly (readonly [string, string])[], colour = false): string {
  return lines(
    rows.map(([name, value]): Cell[] => [[''], [name, 'dim'], [value === '' ? '–' : value, formatOf(name, value)]]),
    colour,
  );
}

type Format = 'bold' | 'dim' | 'green' | 'red' | 'yellow';
/** A text, and how it looks where there are colours. */
type Cell = readonly [text: string, format?: Format | undefined];

/** Colours only outcomes and states. */
function formatOf(name: string, text: string): Format | undefined {
  if (name !== 'outcome' && name !== 'status') return undefined;
  if (/^(delivered|accepted|on\b|2\d\d$)/.test(text)) return 'green';
  if (/^(failed|[345]\d\d$)/.test(text)) return 'red';
  return /^(off|suspended|under way|not finished)/.test(text) ? 'yellow' : undefined;
}

/** @param narrowed returns the widths of the columns from those that they need */
function lines(
  rows: readonly (readonly Cell[])[],
  colour: boolean,
  narrowed: (needed: readonly number[]) => readonly number[] = (needed) => needed,
): string {
  const safe = rows.map((row) => row.map(([text, format]): Cell => [plainText(text), format]));
  const needed = (safe[0] ?? []).map((_, column) => Math.max(...safe.map((row) => width(row[column]?.[0] ?? ''))));
  const widths = narrowed(needed);
  const cell = ([text, format]: Cell, columns: number) => {
    const shown = cut(text, columns);
    // The caller has already decided whether to use colours.
    const styled = colour && format && shown ? styleText(format, shown, { validateStream: false }) : shown;
    return styled + ' '.repeat(Math.max(0, columns - width(shown)));
  };
  return safe
    .map(
      (row) =>
        `${row
          .map((one, column) => cell(one, widths[column] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}
