import { ApiError } from '../session/api-error.ts';

/** A refused field of a form. In a list: the row by index or name, and the part of the row. */
export type FieldProblem = {
  readonly field: string;
  readonly row: string | undefined;
  readonly part: string | undefined;
  readonly text: string;
};

/** Fields of a request without an input in any form. */
const WITHOUT_INPUT: ReadonlySet<string> = new Set(['idempotency_key', 'parameters', 'version']);

/** Returns the first problem of each field that a refusal names. */
export function fieldProblems(error: unknown): readonly FieldProblem[] {
  if (!(error instanceof ApiError)) return [];
  const problems = new Map<string, FieldProblem>();
  for (const { field: path, problem } of error.fields) {
    const name = path.replace(/^(assistant|action)\./, '');
    const [field = '', ...rest] = name.split('.');
    const [row, part] = /^\d+$/.test(rest[0] ?? '') ? rest : rest.length === 0 ? [] : [rest.join('.')];
    if (!WITHOUT_INPUT.has(field) && !problems.has(name)) {
      problems.set(name, { field, row, part, text: sentence(problem) });
    }
  }
  return [...problems.values()];
}

export const NO_CONNECTION = 'No connection to the service. Check your network and try again.';

/** Returns whether the same request may succeed later. */
export function mayRetry(error: unknown): boolean {
  return !(error instanceof ApiError && (error.status === 403 || error.status === 404));
}

/** Describes an error for the user, and what to do. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof ApiError)) return NO_CONNECTION;
  switch (error.code) {
    case 'admin_required':
      return 'Only admins of the organization may do this. Ask an admin.';
    case 'organization_not_found':
    case 'assistant_not_found':
    case 'action_not_found':
    case 'not_found':
      return 'This no longer exists. Go back to the list.';
    case 'idempotency_key_reused':
      return 'This was created before, with the input of an earlier attempt. Discard this input, and look in the list.';
    case 'organization_suspended':
      return 'The organization is suspended, so the service sends none of its requests. Contact the operator.';
    case 'rate_limit_exceeded':
      return tooOften(error.retryAfterSeconds);
    case undefined:
    case 'internal_error':
      return unanswered(error);
    default:
      return sentence(error.message.replace(/^[a-z_]+(\.[a-z_0-9]+)*: /, ''));
  }
}

/** Describes an error by its status. API Gateway and internal errors have no error code. */
function unanswered({ status, message, retryAfterSeconds }: ApiError): string {
  if (status === 403) return 'This login may not use the dashboard. Log out and log in again.';
  if (status === 429) return tooOften(retryAfterSeconds);
  if (status >= 500) return 'The service failed. Try again. If it fails again, contact the operator.';
  return sentence(message);
}

function tooOften(seconds: number | undefined): string {
  if (seconds === undefined) return 'Too many requests. Wait a minute and try again.';
  return `Too many requests. Try again in ${seconds === 1 ? 'one second' : `${seconds} seconds`}.`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
