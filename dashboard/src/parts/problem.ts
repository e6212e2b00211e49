import { ApiError } from '../session/api-error.ts';

/** A field of a form that was refused; in a list the row, by its index or its name, and the part of the row. */
export type FieldProblem = {
  readonly field: string;
  readonly row: string | undefined;
  readonly part: string | undefined;
  readonly text: string;
};

/** Fields of a request for which no form has an input. */
const WITHOUT_INPUT: ReadonlySet<string> = new Set(['idempotency_key', 'parameters', 'version']);

/** Which fields of a form a refusal is about: the first problem of each. */
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

/** What went wrong and what to do, for a person. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof ApiError)) return 'No connection to the service. Check your network and try again.';
  switch (error.code) {
    case 'admin_required':
      return 'Only admins of the organization may do this. Ask one of them.';
    case 'organization_not_found':
    case 'assistant_not_found':
    case 'action_not_found':
    case 'not_found':
      return 'This no longer exists. Go back to the list and reload it.';
    case 'organization_suspended':
      return 'The organization is suspended, and none of its requests is sent. Ask the operator.';
    case 'rate_limit_exceeded':
      return tooOften(error.retryAfterSeconds);
    case undefined:
    case 'internal_error':
      return unanswered(error);
    default:
      return sentence(error.message.replace(/^[a-z_]+(\.[a-z_0-9]+)*: /, ''));
  }
}

/** What stands in front of the service, or broke within it, has a status and no more. */
function unanswered({ status, message, retryAfterSeconds }: ApiError): string {
  if (status === 403) return 'This login may not use the dashboard. Log out and in again.';
  if (status === 429) return tooOften(retryAfterSeconds);
  if (status >= 500) return 'The service failed. Try again; if it stays so, tell the operator.';
  return sentence(message);
}

function tooOften(seconds: number | undefined): string {
  if (seconds === undefined) return 'Too many requests. Wait a minute and try again.';
  return `Too many requests. Try again in ${seconds === 1 ? 'one second' : `${seconds} seconds`}.`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
