import type * as z from 'zod';
import { REFUSALS, type RefusalCode, type RefusalStatus } from '../contract/errors.ts';

/** A field of an input, as a path with dots, and what is wrong with it. */
export type FieldProblem = { readonly field: string; readonly problem: string };

export type RefusalDetails = {
  /** Says more than the code's own message, such as the id that was not found. */
  readonly message?: string;
  /** The field of the input that is wrong, as a path with dots. */
  readonly field?: string | undefined;
  /** Every field that is wrong, that one included. */
  readonly fields?: readonly FieldProblem[];
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
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, { message, field, fields = [], retryAfterSeconds }: RefusalDetails = {}) {
    super(message ?? REFUSALS[code].message);
    this.code = code;
    this.status = REFUSALS[code].status;
    this.field = field;
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A 400 that names the field. @example invalidField('data', 'must be a JSON object') */
export function invalidField(field: string, problem: string): Refusal {
  return invalidFields([{ field, problem }]);
}

/** A 400 whose message names the first of these fields. A problem without a field is one of the whole input. */
export function invalidFields(fields: readonly FieldProblem[]): Refusal {
  const [first] = fields;
  if (first === undefined) return new Refusal('invalid_request');
  const { field, problem } = first;
  if (field === '') return new Refusal('invalid_request', { message: problem });
  return new Refusal('invalid_request', { field, fields, message: `${field}: ${problem}` });
}

/** A 400 that names the wrong fields of an input. @param within the field whose value was parsed, if it was not the whole input */
export function invalidInput(error: z.ZodError, within?: string): Refusal {
  return invalidFields(problemsOf(error, within));
}

/** What a schema finds, a field at a time. */
export function problemsOf({ issues }: z.ZodError, within?: string): FieldProblem[] {
  return issues.map(({ code, path, message }) => ({
    field: [...(within === undefined ? [] : [within]), ...path.map(String)].join('.'),
    problem: code === 'custom' ? message : message.replace(/^Invalid input: /, ''),
  }));
}

/** An input that fits its schema. @throws Refusal 400 that names the first wrong field */
export function inputOf<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const { success, data, error } = schema.safeParse(input);
  if (!success) throw invalidInput(error);
  return data;
}
