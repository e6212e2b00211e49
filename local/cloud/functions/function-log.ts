import { appendFileSync, rmSync, statSync } from 'node:fs';
import type { Authorizer, Caller } from '../access/authorizer.ts';
import { arnOf } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import { isObject, parseObject } from '../json.ts';

type FunctionLogOptions = {
  readonly file: string;
  readonly caller: Caller;
  readonly logGroup: string;
  readonly authorizer: Authorizer;
  /** A file that receives the output of every function, independent of the function's role. */
  readonly copy?: string | undefined;
  /** Called with each line that contains `"ERROR"`, shortened, and when the log cannot be written. */
  readonly onError: (line: string) => void;
};

const SHORT_LINE_CHARACTERS = 300;
const KEPT_LOG_MAX_BYTES = 10_000_000;

/** Writes a function's output to its log once per turn of the event loop, if its role may write to the log group. */
export function functionLog({ file, caller, logGroup, authorizer, copy, onError }: FunctionLogOptions) {
  const resource = arnOf('logs', `log-group:${logGroup}:log-stream:local`);
  // `check` reports a denial itself. Both actions are checked, so that both denials are reported.
  const denials = ['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) =>
    authorizer.check(caller, { action, resource }),
  );
  // The lines of earlier runs are kept while the file is small.
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > KEPT_LOG_MAX_BYTES) rmSync(file);
  const isAllowed = denials.every((denial) => denial === undefined);
  const files = [isAllowed ? file : [], copy ?? []].flat();
  /** The output of this turn. */
  let unwritten = '';
  let isFull = false;

  const append = (): void => {
    const text = unwritten;
    unwritten = '';
    try {
      for (const one of files) appendFileSync(one, text);
      isFull = false;
    } catch (error) {
      // A full disk. The function goes on, and the lines are lost.
      if (!isFull) onError(`The log cannot be written: ${messageOf(error)}`);
      isFull = true;
    }
  };

  return (text: string): void => {
    for (const line of text.split('\n')) if (line.includes('"ERROR"')) onError(shorten(line));
    if (unwritten === '') setImmediate(append);
    unwritten += text;
  };
}

function shorten(line: string): string {
  const record = parseObject(line);
  const message = record?.level === 'ERROR' ? record.message : undefined;
  const text = isObject(message) ? `${message.errorType}: ${message.errorMessage}` : String(message ?? line);
  return text.length > SHORT_LINE_CHARACTERS ? `${text.slice(0, SHORT_LINE_CHARACTERS)}…` : text;
}
