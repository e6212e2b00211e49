import { appendFileSync, rmSync, statSync } from 'node:fs';
import type { Authorizer, Caller } from '../access/authorizer.ts';
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
  readonly #files: readonly string[];
  readonly #onError: (line: string) => void;
  /** The output of this turn of the event loop. */
  #unwritten = '';
  #isFull = false;

  constructor({ file, caller, logGroup, authorizer, copy, onError }: FunctionLogOptions) {
    const resource = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${logGroup}:log-stream:local`;
    // Both actions are checked, so that both denials are reported.
    const denials = ['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) =>
      authorizer.check(caller, { action, resource }),
    );
    // The lines of earlier runs are kept while the file is small.
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > KEEP_BYTES) rmSync(file);
    const isAllowed = denials.every((denial) => denial === undefined);
    this.#files = [isAllowed ? file : [], copy ?? []].flat();
    this.#onError = onError;
  }

  /** Writes the output of a worker, in whole lines or parts of lines, at the end of this turn of the event loop. */
  write(text: string): void {
    if (text.includes('"ERROR"')) {
      for (const line of text.split('\n')) if (line.includes('"ERROR"')) this.#onError(shorten(line));
    }
    if (this.#unwritten === '') setImmediate(() => this.#append());
    this.#unwritten += text;
  }

  #append(): void {
    const text = this.#unwritten;
    this.#unwritten = '';
    try {
      for (const file of this.#files) appendFileSync(file, text);
      if (this.#isFull) this.#onError('The log can be written again');
      this.#isFull = false;
    } catch (error) {
      // A full disk. The function goes on, and the lines are lost.
      if (!this.#isFull) this.#onError(`The log cannot be written: ${messageOf(error)}`);
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
