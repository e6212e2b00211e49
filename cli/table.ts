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

const padded = (text: string, columns: number) => text + ' '.repeat(Math.max(0, columns - width(text)));

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
  const cells = rows.map((row) => names.map((name) => shown(row[name] ?? '')));
  const heading = names.map((name) => name.toUpperCase());
  const style = (cell: string, column: number, line: number) =>
    line === 0 ? styled('bold', cell) : coloured(names[column] ?? '', cell);
  return tableLines([heading, ...cells], colour ? style : asItIs, columns);
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
  const style = (cell: string, column: number, line: number) =>
    column === 1 ? styled('dim', cell) : column === 2 ? coloured(rows[line]?.[0] ?? '', cell) : cell;
  return tableLines(
    rows.map(([name, value]) => ['', name, value === '' ? '–' : value]),
    colour ? style : asItIs,
  );
}

type Style = (cell: string, column: number, line: number) => string;

const asItIs: Style = (cell) => cell;

// The caller has already decided whether to use colours.
const styled = (format: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) =>
  styleText(format, text, { validateStream: false });

/** Colours only outcomes and states. */
function coloured(name: string, cell: string): string {
  if (name !== 'outcome' && name !== 'status') return cell;
  if (/^(delivered|accepted|on\b|2\d\d$)/.test(cell)) return styled('green', cell);
  if (/^(failed|[345]\d\d$)/.test(cell)) return styled('red', cell);
  return /^(off|suspended|under way|not finished)/.test(cell) ? styled('yellow', cell) : cell;
}

function tableLines(rows: readonly (readonly string[])[], style: Style, limit?: number): string {
  const complete = rows.map((row) => row.map(plainText));
  const needed = (complete[0] ?? []).map((_, column) => Math.max(...complete.map((row) => width(row[column] ?? ''))));
  // Ids are copied into other commands, so they stay complete.
  const isId = (column: number) => /^(.*_ID|NONCE)$/.test(rows[0]?.[column] ?? '');
  const columns = limit === undefined ? needed : fitting(needed, limit, isId);
  const safe = complete.map((row) => row.map((cell, column) => cut(cell, columns[column] ?? 0)));
  const lines = safe.map((row, line) =>
    row
      .map((cell, column) =>
        cell === ''
          ? padded('', columns[column] ?? 0)
          : style(cell, column, line) + padded(cell, columns[column] ?? 0).slice(cell.length),
      )
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}
