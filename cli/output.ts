import { plainText, safeJson } from './plain-text.ts';
import type { CliProcess, Write } from './process.ts';
import { fields, table } from './table.ts';

export type Row = Readonly<Record<string, string>>;

/** Writes results to stdout, as text or as JSON, and all other messages to stderr. What it writes ends the report of the current work. */
export class Output {
  readonly json: boolean;
  readonly #process: CliProcess;
  readonly #progress: Progress;

  constructor(json: boolean, cliProcess: CliProcess) {
    this.json = json;
    this.#process = cliProcess;
    this.#progress = startProgress(cliProcess.stderr, { terminal: cliProcess.terminal, silent: json });
  }

  /** Reports the current work, if it takes long. */
  doing(text: string): void {
    this.#progress.doing(text);
  }

  /** Ends the report of the current work. */
  done(): void {
    this.#progress.end();
  }

  /** Writes one object: a headline, and its fields in these rows or else as they are in JSON. */
  object(value: object, headline: string, rows: readonly (readonly [string, string])[] = fieldsOf(value)): void {
    this.#stdout(this.json ? `${safeJson(value)}\n` : `${plainText(headline)}\n${fields(rows, this.#process.colour)}`);
  }

  /** Writes a list as a table, or the text `none` when the list is empty. */
  list(values: readonly object[], none: string, rows: readonly Row[]): void {
    if (this.json) this.#stdout(`${safeJson(values)}\n`);
    else this.#stdout(rows.length === 0 ? `${plainText(none)}\n` : table(rows, this.#process));
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

  #stdout(text: string): void {
    this.done();
    this.#process.stdout(text);
  }

  #stderr(text: string): void {
    this.done();
    this.#process.stderr(text);
  }
}

/** Returns the fields of an object as texts, with their names in JSON. The name of a nested field has dots. */
export function fieldsOf(value: object): [string, string][] {
  return Object.entries(value).flatMap(([name, one]): [string, string][] => {
    if (typeof one === 'object' && one !== null && !Array.isArray(one)) {
      return fieldsOf(one).map(([inner, text]) => [`${name}.${inner}`, text]);
    }
    return [[name, [one ?? ''].flat().map(textOf).join(', ')]];
  });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Shorter work is not reported. */
const QUIET_MS = 1000;
const RENEW_MS = 500;

export type Progress = {
  /** Sets the description of the current work. */
  readonly doing: (text: string) => void;
  readonly end: () => void;
};

/**
 * Reports on stderr work that takes longer than a second. On a terminal it updates one line. Elsewhere it writes one line once, because
 * many lines would fill the log of a script.
 */
export function startProgress(
  write: Write,
  options: { readonly terminal: boolean; readonly silent: boolean },
): Progress {
  let current = '';
  let shown = false;
  let timer: NodeJS.Timeout | undefined;

  const show = () => {
    write(options.terminal ? `\r${plainText(current)} …\u001b[K` : `${plainText(current)} …\n`);
    shown = true;
    if (options.terminal) timer = setTimeout(show, RENEW_MS).unref();
  };

  return {
    doing: (text) => {
      current = text;
      if (!options.silent) timer ??= setTimeout(show, QUIET_MS).unref();
    },
    end: () => {
      clearTimeout(timer);
      if (options.terminal && shown) write('\r\u001b[K');
      shown = false;
      timer = undefined;
    },
  };
}
