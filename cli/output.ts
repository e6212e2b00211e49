import { plainText, safeJson } from './plain-text.ts';
import { fields, type Look, table } from './table.ts';

export type Write = (text: string) => void;
export type Row = Readonly<Record<string, string>>;

/** Writes results to stdout, as text or as JSON, and all other messages to stderr. */
export class Output {
  readonly json: boolean;
  readonly #look: Look;
  readonly #stdout: Write;
  readonly #stderr: Write;

  constructor(options: {
    readonly json: boolean;
    readonly look: Look;
    readonly stdout: Write;
    readonly stderr: Write;
  }) {
    this.json = options.json;
    this.#look = options.look;
    this.#stdout = options.stdout;
    this.#stderr = options.stderr;
  }

  /** Writes one object: a headline and its fields. */
  object(value: object, headline: string, rows: readonly (readonly [string, string])[]): void {
    this.#stdout(this.json ? `${safeJson(value)}\n` : `${plainText(headline)}\n${fields(rows, this.#look.colour)}`);
  }

  /** Writes a list as a table, or the text `none` when the list is empty. */
  list(values: readonly object[], none: string, rows: readonly Row[]): void {
    if (this.json) this.#stdout(`${safeJson(values)}\n`);
    else this.#stdout(rows.length === 0 ? `${plainText(none)}\n` : table(rows, this.#look));
  }

  /** Writes a generated file unchanged, also with --json. */
  text(text: string): void {
    this.#stdout(text);
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

  /** Writes one line of an endless list. With --json the line is a compact object. */
  line(value: object, text: () => string): void {
    this.#stdout(this.json ? `${safeJson(value, { compact: true })}\n` : text());
  }

  /** Writes a note to stderr. Writes nothing with --json, because stderr then contains only errors. */
  note(text: string): void {
    if (!this.json) this.#stderr(`${plainText(text)}\n`);
  }

  error(message: string): void {
    this.#stderr(this.json ? `${safeJson({ error: message }, { compact: true })}\n` : `${plainText(message)}\n`);
  }
}
