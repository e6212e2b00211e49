import { plainText, safeJson } from './plain-text.ts';
import { fields, table } from './table.ts';

export type Write = (text: string) => void;
export type Row = Readonly<Record<string, string>>;

/** Results go to stdout: text for people, JSON for programs. Everything said besides goes to stderr. */
export class Output {
  readonly json: boolean;
  readonly #colour: boolean;
  readonly #stdout: Write;
  readonly #stderr: Write;

  constructor(options: {
    readonly json: boolean;
    readonly colour: boolean;
    readonly stdout: Write;
    readonly stderr: Write;
  }) {
    this.json = options.json;
    this.#colour = options.colour;
    this.#stdout = options.stdout;
    this.#stderr = options.stderr;
  }

  /** One thing: a headline and its fields. */
  object(value: object, headline: string, rows: readonly (readonly [string, string])[]): void {
    this.#stdout(this.json ? `${safeJson(value)}\n` : `${plainText(headline)}\n${fields(rows, this.#colour)}`);
  }

  /** Many things: a table, or `none` when there are none. */
  list(values: readonly object[], none: string, rows: readonly Row[]): void {
    if (this.json) this.#stdout(`${safeJson(values)}\n`);
    else this.#stdout(rows.length === 0 ? `${plainText(none)}\n` : table(rows, this.#colour));
  }

  /** A file of our own making, as it is: the same with --json. */
  text(text: string): void {
    this.#stdout(text);
  }

  /** Text of several lines, indented below what it is. With --json it is part of an object that was printed. */
  block(title: string, text: string): void {
    if (this.json) return;
    const lines = text.split('\n').map((line) => `  ${plainText(line)}\n`);
    this.#stdout(`\n${plainText(title)}\n${lines.join('')}`);
  }

  /** A secret: alone on stdout, so that it can be piped; what to know about it on stderr. */
  secret(value: object, secret: string, note: string): void {
    this.#stdout(this.json ? `${safeJson(value)}\n` : `${secret}\n`);
    this.note(note);
  }

  /** A line of an endless list; in JSON, one compact object. */
  line(value: object, text: () => string): void {
    this.#stdout(this.json ? `${safeJson(value, { compact: true })}\n` : text());
  }

  /** For people only: with --json, stderr holds nothing but an error. */
  note(text: string): void {
    if (!this.json) this.#stderr(`${plainText(text)}\n`);
  }

  error(message: string): void {
    this.#stderr(this.json ? `${safeJson({ error: message }, { compact: true })}\n` : `${plainText(message)}\n`);
  }
}
