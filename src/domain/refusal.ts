import type * as z from 'zod';
import { inOurWords, type KnownRefusal, REFUSALS, type RefusalCode, type RefusalStatus } from '../contract/errors.ts';
import { WRONG_FIELDS_MAX } from '../contract/limits.ts';

/** The dotted path of a field and the problem with its value. */
export type FieldProblem = { readonly field: string; readonly problem: string };

/** Why a session token is refused. Its caller gets one message for all of them. */
export type TokenProblem = 'expired' | 'wrong_signature' | 'unknown_key' | 'not_a_token';

/** What only the operator learns of a refusal: each is a part of its fact, never of the answer. */
export type RefusalFacts = { readonly token_problem?: TokenProblem };

export type RefusalDetails = {
  /** A more specific problem than that of the code, such as one with the id that was not found. */
  readonly problem?: string;
  /** The whole message, of a refusal that another function made. */
  readonly message?: string;
  /** All wrong fields, of which the refusal keeps the first WRONG_FIELDS_MAX. @default the field of the code, when it is about one */
  readonly fields?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
  /** Of a form submission that was made and not accepted. */
  readonly submissionId?: string;
  readonly facts?: RefusalFacts;
};

/**
 * Refuses a request because of an error of the caller. It has a stable code and one message, which names the first wrong field. Every
 * other thrown value is an internal error: its cause is logged, and the caller gets a 5xx without it.
 * @example throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: 60 });
 * @example throw new Refusal('organization_not_found', { problem: `no organization ${orgId}` });
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: RefusalStatus;
  readonly field: string | undefined;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  readonly submissionId: string | undefined;
  readonly facts: RefusalFacts;

  constructor(
    code: RefusalCode,
    { problem, message, fields, retryAfterSeconds, submissionId, facts = {} }: RefusalDetails = {},
  ) {
    // Not every code has a `problem` and a `field`.
    const knownRefusal: KnownRefusal = REFUSALS[code];
    const text = problem ?? knownRefusal.problem ?? knownRefusal.message;
    const wrong = fields ?? (knownRefusal.field === undefined ? [] : [{ field: knownRefusal.field, problem: text }]);
    const [first] = wrong;
    super(message ?? (first === undefined ? text : `${first.field}: ${first.problem}`));
    this.code = code;
    this.status = REFUSALS[code].status;
    this.field = first?.field;
    this.fields = wrong.slice(0, WRONG_FIELDS_MAX);
    this.retryAfterSeconds = retryAfterSeconds;
    this.submissionId = submissionId;
    this.facts = facts;
  }
}

/** Returns a 400 that names the field. @example invalidField('data', 'must be a JSON object') */
export const invalidField = (field: string, problem: string): Refusal => invalidFields([{ field, problem }]);

/** Returns a 400 that names these fields. The empty field means the whole input. */
function invalidFields(fields: readonly FieldProblem[]): Refusal {
  const [first] = fields;
  if (first?.field === '') return new Refusal('invalid_request', { problem: first.problem });
  return new Refusal('invalid_request', { fields });
}

const isWrongType = ({ code, path }: z.core.$ZodIssue) => code === 'invalid_type' && path.length === 0;

function problemsOf(issues: readonly z.core.$ZodIssue[], within: readonly string[]): FieldProblem[] {
  return issues.flatMap((issue) => {
    const path = [...within, ...issue.path.map(String)];
    // Of several types that a value may have, the problems are those of the type that it has.
    const fittingIssues = issue.code === 'invalid_union' && issue.errors.find((one) => !one.some(isWrongType));
    if (fittingIssues) return problemsOf(fittingIssues, path);
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ field: [...path, key].join('.'), problem: issue.message }));
    const problem = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return [{ field: path.join('.'), problem }];
  });
}

/**
 * Validates an input. The problems are in the words of this service.
 * @param within the field whose value this is, unless it is the whole input
 * @throws Refusal 400 that names the wrong fields
 */
export function inputOf<Value>(schema: z.ZodType<Value>, input: unknown, within?: string): Value {
  const { success, data, error } = schema.safeParse(input, { error: inOurWords });
  if (!success) throw invalidFields(problemsOf(error.issues, within === undefined ? [] : [within]));
  return data;
}
