import { styleText } from 'node:util';
import stringWidth from 'string-width';
import type { Assistant } from '../src/contract/assistants.ts';
import { requireReadable } from '../src/domain/organizations/suspension-and-quota.ts';
import type { CliProcess } from './process.ts';

export type Row = Readonly<Record<string, string>>;
type Unreadable = Parameters<typeof requireReadable>[0];
type Field = readonly [name: string, value: string];

/** Work is reported when it takes longer. */
const QUIET_MS = 1000;
/** How often the report is written again on a terminal. */
const RENEW_MS = 500;

/** Writes results to stdout, as text or as JSON, and all other messages to stderr. What it writes ends the report of the current work. */
export class CommandOutput {
  readonly json: boolean;
  /** What could not be read so far of logs and of the audit trail. */
  unreadableRecords = (): Unreadable => [];
  readonly #process: CliProcess;
  #work = '';
  #isShown = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(json: boolean, cliProcess: CliProcess) {
    this.json = json;
    this.#process = cliProcess;
  }

  /** Reports on stderr work that takes longer than a second: on a terminal in a line that it updates, elsewhere once, because it would fill the log of a script. */
  showProgress(text: string): void {
    this.#work = text;
    if (!this.json) this.#timer ??= setTimeout(() => this.#showWork(), QUIET_MS).unref();
  }

  endProgress(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#process.terminal && this.#isShown) this.#process.stderr('\r\u001b[K');
    this.#isShown = false;
  }

  /** Writes one object: a headline, and its fields in these rows or else as they are in JSON. */
  object(value: object, headline: string, rows: readonly Field[] = fieldsOf(value)): void {
    this.#stdout(this.json ? `${safeJson(value)}\n` : `${plainText(headline)}\n${fields(rows, this.#process)}`);
  }

  /** Writes a table, or `none`, but not beside the unreadable, which may be what is asked for. @throws ServiceError that names all of `unreadable` */
  list(values: object, none: string, rows: readonly Row[], unreadable: Unreadable = []): void {
    if (this.json) this.#stdout(`${safeJson(values)}\n`);
    else if (rows.length > 0) this.#stdout(table(rows, this.#process));
    else if (unreadable.length + this.unreadableRecords().length === 0) this.#stdout(`${plainText(none)}\n`);
    requireReadable([...unreadable, ...this.unreadableRecords()]);
  }

  /** Writes a title and an indented text of several lines. Writes nothing with --json, because the object contains the text. */
  block(title: string, text: string): void {
    if (this.json) return;
    const lines = text.split('\n').map((line) => `  ${plainText(line)}\n`);
    this.#stdout(`\n${plainText(title)}\n${lines.join('')}`);
  }

  /** Writes a secret to stdout without any other text, so that it can be piped, and a note to stderr. */
  secret(value: object, secret: string, note: string): void {
    this.#stdout(this.json ? `${safeJson(value)}\n` : `${secret}\n`);
    this.note(note);
  }

  /** Writes one entry of an endless list: these lines, or a compact object with --json. */
  entry(value: object, ...lines: readonly string[]): void {
    this.#stdout(this.json ? jsonLine(value) : lines.map((line) => `${plainText(line)}\n`).join(''));
  }

  /** Writes a note to stderr. Writes nothing with --json, because stderr then contains only errors. */
  note(text: string): void {
    if (!this.json) this.#stderr(`${plainText(text)}\n`);
  }

  /** Writes the error that ended the command to stderr, with --json as an object. */
  error(message: string): void {
    this.#stderr(this.json ? jsonLine({ error: message }) : `${plainText(message)}\n`);
  }

  #showWork(): void {
    const { terminal, stderr } = this.#process;
    stderr(terminal ? `\r${plainText(this.#work)} …\u001b[K` : `${plainText(this.#work)} …\n`);
    this.#isShown = true;
    if (terminal) this.#timer = setTimeout(() => this.#showWork(), RENEW_MS).unref();
  }

  #stdout(text: string): void {
    this.endProgress();
    this.#process.stdout(text);
  }

  #stderr(text: string): void {
    this.endProgress();
    this.#process.stderr(text);
  }
}

/**
 * Control characters, and invisible characters that reorder or hide text. Customers choose the names that are stored. A name must not
 * move the cursor, change the colour or overwrite text in an operator's terminal.
 */
const UNSAFE =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Escapes each UTF-16 unit, because the last of these characters, invisible tags, are a pair of units. */
const escapeUnits = (characters: string) =>
  characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Returns text that is safe to print on one line of a terminal. Unsafe characters are escaped as `\uXXXX`. */
export const plainText = (text: string): string => text.replace(UNSAFE, escapeUnits);

/** Returns JSON that is safe to print on a terminal and has the same meaning. */
function safeJson(value: unknown, indentation = 2): string {
  const json = JSON.stringify(value, null, indentation);
  // JSON.stringify has escaped the C0 controls. The remaining line feeds belong to its indentation.
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : escapeUnits(character)));
}

export const jsonLine = (value: unknown): string => `${safeJson(value, 0)}\n`;

/** Returns the fields of an object as texts, with their names in JSON. The name of a nested field has dots. */
export function fieldsOf(value: object): Field[] {
  return Object.entries(value).flatMap(([name, one]): Field[] => {
    if (isOneText(one)) return [[name, textOf(one ?? '')]];
    if (Array.isArray(one) && one.every(isOneText)) return [[name, one.map(textOf).join(', ')]];
    return fieldsOf(one).map(([inner, text]) => [`${name}.${inner}`, text]);
  });
}

/** Returns whether a value is shown as one text. A long number is, too: parseJson makes it an object of JSON.rawJSON. */
const isOneText = (value: unknown) => typeof value !== 'object' || value === null || JSON.isRawJSON(value);
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

type Format = 'bold' | 'dim' | 'green' | 'red' | 'yellow';
/** A text, and how it looks where there are colours. */
type Cell = readonly [text: string, format?: Format | undefined];

const GAP = '  ';
/** The columns that may be shortened: texts that people chose. Everything else is needed whole, to be read or copied into other commands. */
const SHORTENED = /^(name|endpoint|domain|description|parameters)$/;
const LEAST_WIDTH = 16;

/** In a narrow terminal, long names are shortened; where that is not enough, each row takes several lines. */
function table(rows: readonly Row[], { colour, columns }: CliProcess): string {
  const names = Object.keys(rows[0] ?? {});
  const heading = names.map((name): Cell => [name.toUpperCase(), 'bold']);
  const cells = rows.map((row) =>
    names.map((name): Cell => [plainText(row[name] ?? ''), formatOf(name, row[name] ?? '')]),
  );
  // Some terminals say that they have no columns.
  const room = columns || Number.POSITIVE_INFINITY;
  const widths = fittingWidths(widthsOf([heading, ...cells]), names, room);
  const lines = foldedAt(widths, room);
  const line = (row: readonly Cell[], [start, end]: (typeof lines)[number]) =>
    lineOf(row.slice(start, end), widths.slice(start, end), colour, indentOf(start));
  return [heading, ...cells].flatMap((row) => lines.map((part) => line(row, part))).join('');
}

/**
 * Returns the widths of a table's columns in a terminal. While a row is too wide for one line, the widest column that may be shortened
 * loses a character. Where that is not enough, rows take several lines, and such a column is as wide as its text and a line allow.
 */
function fittingWidths(widths: readonly number[], names: readonly string[], room: number): readonly number[] {
  const isShortened = (width: number, column: number) => width > LEAST_WIDTH && SHORTENED.test(names[column] ?? '');
  const columnWidths = [...widths];
  while (lengthOf(columnWidths) > room && columnWidths.some(isShortened)) {
    const widest = Math.max(...columnWidths.filter(isShortened));
    columnWidths[columnWidths.findLastIndex((width, column) => width === widest && isShortened(width, column))] =
      widest - 1;
  }
  if (lengthOf(columnWidths) <= room) return columnWidths;
  const ofLine = Math.max(room - GAP.length, LEAST_WIDTH);
  return widths.map((width, column) => (isShortened(width, column) ? Math.min(width, ofLine) : width));
}

/** Returns what a line of a row begins with whose first column this is: all lines but the first are indented. */
const indentOf = (start: number): string => (start === 0 ? '' : GAP);
/** Returns how many columns of a terminal a line of cells with these widths takes. */
const lengthOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);

/** Returns the columns of each line of a row, of which as many as fit stand on one line. */
function foldedAt(widths: readonly number[], room: number): readonly (readonly [start: number, end: number])[] {
  const starts = [0];
  for (let column = 1; column < widths.length; column++) {
    const start = starts.at(-1) ?? 0;
    if (indentOf(start).length + lengthOf(widths.slice(start, column + 1)) > room) starts.push(column);
  }
  return starts.map((start, line) => [start, starts[line + 1] ?? widths.length]);
}

function fields(rows: readonly Field[], { colour }: CliProcess): string {
  const cells = rows.map(([name, value]): Cell[] => [
    [plainText(name), 'dim'],
    [plainText(value) || '–', formatOf(name, value)],
  ]);
  const widths = widthsOf(cells);
  return cells.map((row) => lineOf(row, widths, colour, GAP)).join('');
}

/** Returns a number with what it counts. @param noun whose plural ends in s */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const statusOf = ({ enabled, suspended }: Pick<Assistant, 'enabled' | 'suspended'>): string =>
  suspended ? 'suspended' : enabled ? 'on' : 'off';

/** Colours only outcomes and states. */
function formatOf(name: string, text: string): Format | undefined {
  if (name !== 'outcome' && name !== 'status') return undefined;
  if (/^(delivered|accepted|on\b|2\d\d$)/.test(text)) return 'green';
  if (/^(failed|[345]\d\d$)/.test(text)) return 'red';
  return /^(off|suspended|under way|not finished)/.test(text) ? 'yellow' : undefined;
}

function widthsOf(rows: readonly (readonly Cell[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column]?.[0] ?? ''))));
}

/** Returns the text in at most so many columns of a terminal, in which a Chinese character takes two. */
function shortenedTo(width: number, text: string): string {
  if (stringWidth(text) <= width) return text;
  let remainingWidth = width;
  let shownText = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    remainingWidth -= stringWidth(segment);
    if (remainingWidth <= 0) break;
    shownText += segment;
  }
  return `${shownText}…`;
}

/** Returns a row as a line that begins with the indent, with each cell shortened or filled to the width of its column. */
function lineOf(row: readonly Cell[], widths: readonly number[], colour: boolean, indent: string): string {
  const cells = row.map(([text, format], column) => {
    const width = widths[column] ?? 0;
    const shown = shortenedTo(width, text);
    // The caller has already decided whether to use colours.
    const styled = colour && format && shown ? styleText(format, shown, { validateStream: false }) : shown;
    return styled + ' '.repeat(width - stringWidth(shown));
  });
  return `${(indent + cells.join(GAP)).trimEnd()}\n`;
}
