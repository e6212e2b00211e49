import { appendFileSync, existsSync, rmSync, statSync } from 'node:fs';
import type { Authorizer } from '../access/authorizer.ts';
import type { Caller } from '../access/callers.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import { isObject, parseObject } from '../json.ts';

type FunctionLogOptions = {
  readonly file: string;
  readonly caller: Caller;
  readonly logGroup: string;
  readonly authorizer: Authorizer;
  /** A file that receives the output of every function, independent of the function's role. */
  readonly copy?: string | undefined;
  /** Called with each line of level ERROR, shortened. */
  readonly onError: (line: string) => void;
};

const SHORT = 300;
const KEEP_BYTES = 10_000_000;

/** The log file of one function. As in AWS, the function's role must allow writing to the log group. */
export class FunctionLog {
  readonly #options: FunctionLogOptions;
  readonly #allowed: boolean;
  /** The output of this turn of the event loop. */
  #unwritten = '';
  #isFull = false;

  constructor(options: FunctionLogOptions) {
    this.#options = options;
    const resource = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${options.logGroup}:log-stream:local`;
    // Both actions are checked, so that both denials are reported.
    const denials = ['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) =>
      options.authorizer.check(options.caller, { action, resource }),
    );
    // The lines of earlier runs are kept while the file is small.
    if (existsSync(options.file) && statSync(options.file).size > KEEP_BYTES) rmSync(options.file);
    this.#allowed = denials.every((denial) => denial === undefined);
  }

  /** Writes the output of a worker, in whole lines or parts of lines, at the end of this turn of the event loop. */
  write(text: string): void {
    if (text.includes('"ERROR"')) {
      for (const line of text.split('\n')) if (line.includes('"ERROR"')) this.#options.onError(shorten(line));
    }
    if (this.#unwritten === '') setImmediate(() => this.#append());
    this.#unwritten += text;
  }

  #append(): void {
    const text = this.#unwritten;
    this.#unwritten = '';
    try {
      if (this.#allowed) appendFileSync(this.#options.file, text);
      if (this.#options.copy !== undefined) appendFileSync(this.#options.copy, text);
      if (this.#isFull) this.#options.onError('The log can be written again');
      this.#isFull = false;
    } catch (error) {
      // A full disk. The function goes on, and the lines are lost.
      if (!this.#isFull) this.#options.onError(`The log cannot be written: ${messageOf(error)}`);
      this.#isFull = true;
    }
  }
}

/** Returns the message of a structured line, or the line itself, on one line. */
function shorten(line: string): string {
  const record = parseObject(line);
  const message = record?.level === 'ERROR' ? record.message : undefined;
  const text = isObject(message) ? `${message.errorType}: ${message.errorMessage}` : String(message ?? line);
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
