import { plainText } from './plain-text.ts';

const GAP = '  ';

/** Columns of a terminal: marks take none, East Asian wide characters and emoji take two. */
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

/** A table with a heading: one column per key of the first row. Cells are made safe for a terminal. Ends with a line feed. */
export function table(rows: readonly Readonly<Record<string, string>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  return tableLines([
    names.map((name) => name.toUpperCase()),
    ...rows.map((row) => names.map((name) => row[name] ?? '')),
  ]);
}

/** Names and values, indented. Ends with a line feed. */
export function fields(rows: readonly (readonly [string, string])[]): string {
  return tableLines(rows.map(([name, value]) => ['', name, value === '' ? '–' : value]));
}

function tableLines(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(plainText));
  const columns = (safe[0] ?? []).map((_, column) => Math.max(...safe.map((row) => width(row[column] ?? ''))));
  const lines = safe.map((row) =>
    row
      .map((cell, column) => padded(cell, columns[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}
