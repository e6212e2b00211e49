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

const padded = (text: string, columns: number) => text + ' '.repeat(Math.max(0, columns - width(text)));

/** Returns a table with a heading and one column per key of the first row. Cells are safe for a terminal. It ends with a line feed. */
export function table(rows: readonly Readonly<Record<string, string>>[], colour = false): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => row[name] ?? ''));
  const heading = names.map((name) => name.toUpperCase());
  const style = (cell: string, column: number, line: number) =>
    line === 0 ? styled('bold', cell) : coloured(names[column] ?? '', cell);
  return tableLines([heading, ...cells], colour ? style : asItIs);
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

function tableLines(rows: readonly (readonly string[])[], style: Style): string {
  const safe = rows.map((row) => row.map(plainText));
  const columns = (safe[0] ?? []).map((_, column) => Math.max(...safe.map((row) => width(row[column] ?? ''))));
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
