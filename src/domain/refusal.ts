import type * as z from 'zod';
import { REFUSALS, type RefusalCode, type RefusalStatus } from '../contract/errors.ts';

export type RefusalDetails = {
  /** Says more than the code's own message, such as the id that was not found. */
  readonly message?: string;
  /** The field of the input that is wrong, as a path with dots. */
  readonly field?: string | undefined;
  /** Whole seconds until it makes sense to ask again. */
  readonly retryAfterSeconds?: number | undefined;
};

/**
 * An answer that says no to the caller: the caller's fault, told by a stable code and in one message.
 * Anything else that is thrown is our own fault; its cause is logged and hidden behind a 5xx.
 * @example throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: 60 });
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: RefusalStatus;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, { message, field, retryAfterSeconds }: RefusalDetails = {}) {
    super(message ?? REFUSALS[code].message);
    this.code = code;
    this.status = REFUSALS[code].status;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A 400 that names the field. @example invalidField('data', 'must be a JSON object') */
export function invalidField(field: string, problem: string): Refusal {
  return new Refusal('invalid_request', { field, message: `${field}: ${problem}` });
}

/** A 400 that names the first wrong field of an input. @param within the field whose value was parsed, if it was not the whole input */
export function invalidInput(error: z.ZodError, within?: string): Refusal {
  const issue = error.issues[0];
  if (issue === undefined) return new Refusal('invalid_request');
  const field = [...(within === undefined ? [] : [within]), ...issue.path.map(String)].join('.');
  const problem = issue.code === 'custom' ? issue.message : issue.message.replace(/^Invalid input: /, '');
  return field === '' ? new Refusal('invalid_request', { message: problem }) : invalidField(field, problem);
}

/** An input that fits its schema. @throws Refusal 400 that names the first wrong field */
export function inputOf<Value>(schema: z.ZodType<Value>, given: unknown): Value {
  const { success, data, error } = schema.safeParse(given);
  if (!success) throw invalidInput(error);
  return data;
}
