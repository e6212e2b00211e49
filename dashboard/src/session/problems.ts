import type { ActionView, AssistantView, StaleAnswer } from '../../../src/contract/dashboard.ts';
import type { ErrorCode, ErrorResponse } from '../../../src/contract/errors.ts';

/** Body of an error of the service; of API Gateway, which contains only a message; or of something else, without either. */
type ErrorBody = Partial<ErrorResponse & Pick<StaleAnswer, 'current'>> & { readonly message?: string };

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Undefined when something else answered instead of the service. */
  readonly code: ErrorCode | undefined;
  /** Each wrong field of the input, as a path with dots. */
  readonly fields: readonly { readonly field: string; readonly problem: string }[];
  readonly current: StaleAnswer['current'] | undefined;
  /** Whole seconds until the next request can succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    super(body.error ?? body.message);
    this.status = status;
    this.code = body.code;
    this.fields = body.fields ?? [];
    this.current = body.current;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the current assistant from the refusal of a save before which another user has saved. */
export function currentAssistant(error: unknown): AssistantView | undefined {
  const current = error instanceof ApiError ? error.current : undefined;
  return current !== undefined && !('action_id' in current) ? current : undefined;
}

/** Returns the current Action from the refusal of a save before which another user has saved. */
export function currentAction(error: unknown): ActionView | undefined {
  const current = error instanceof ApiError ? error.current : undefined;
  return current !== undefined && 'action_id' in current ? current : undefined;
}

export async function apiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(response.status, isErrorBody(body) ? body : {}, Number.isInteger(seconds) ? seconds : undefined);
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null;
}

/** A refused field of a form. In a list: the row by index, and the part of the row. */
export type RefusedField = {
  readonly field: string;
  readonly row: string | undefined;
  readonly part: string | undefined;
  readonly text: string;
};

/** Returns the first problem of each field that a refusal names. */
export function fieldProblems(error: unknown): readonly RefusedField[] {
  if (!(error instanceof ApiError)) return [];
  const problems = new Map<string, RefusedField>();
  for (const { field: path, problem } of error.fields) {
    // The body of a creation has the settings below one of these names.
    const name = path.replace(/^(assistant|action)\./, '');
    const [field = '', ...rest] = name.split('.');
    const [row, part] = rest;
    if (!problems.has(name)) problems.set(name, { field, row, part, text: sentence(problem) });
  }
  return [...problems.values()];
}

export const errorCodeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined);
export const isSessionEnd = (error: unknown): boolean => errorCodeOf(error) === 'login_required';
/** API Gateway answers within 30 seconds. A connection that a sleep or another network has cut never does. */
export const REQUEST_TIMEOUT_MS = 60_000;
export const NO_CONNECTION = 'No connection to the service. Check your network and try again.';

/** Returns whether the same request may succeed later. */
export function mayRetry(error: unknown): boolean {
  return !(error instanceof ApiError && (error.status === 403 || error.status === 404));
}

export function describeProblem(error: unknown): string {
  if (!(error instanceof ApiError)) return NO_CONNECTION;
  if (error.status === 404) return 'This no longer exists. Go back to the list.';
  if (error.status === 429) return tooOften(error.retryAfterSeconds);
  switch (error.code) {
    case 'admin_required':
      return 'Only admins of the organization may do this. Ask an admin.';
    case 'stale_version':
      return 'Somebody has saved another change in the meantime. The page shows it now. Try again.';
    case 'idempotency_key_reused':
      return 'An earlier attempt, or a copy of this tab, has created this with other input. Look in the list. To create another one, press the button again.';
    case 'organization_suspended':
      return 'The organization is suspended, so the service sends none of its requests. Contact the operator.';
    case undefined:
    case 'internal_error':
      return describedByStatus(error);
    case 'invalid_request':
      return namedProblems(error) || sentence(error.message);
    default:
      return sentence(error.fields[0]?.problem ?? error.message);
  }
}

/** Returns the problems of fields that no form shows, each with the name of its field. */
function namedProblems(error: ApiError): string {
  const each = fieldProblems(error).map(({ field, text }) => `${field.replaceAll('_', ' ')}: ${text}`);
  return each.map(sentence).join(' ');
}

/** Describes an error by its status: an internal one, or one that is not of the service. */
function describedByStatus({ status, message }: ApiError): string {
  if (status >= 500) return 'The service failed. Try again. If it fails again, contact the operator.';
  // API Gateway sends a message. What stands before it, such as a web ACL, sends a page.
  if (message === '') return `A firewall or a proxy refused the request (status ${status}). Contact the operator.`;
  return status === 403 ? 'This login may not use the dashboard. Log out and log in again.' : sentence(message);
}

function tooOften(seconds: number | undefined): string {
  if (seconds === undefined) return 'Too many requests. Wait a minute and try again.';
  return `Too many requests. Try again in ${seconds === 1 ? 'one second' : `${seconds} seconds`}.`;
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
