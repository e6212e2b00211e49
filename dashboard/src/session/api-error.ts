import type { ActionView, AssistantView, StaleAnswer } from '../../../src/contract/dashboard.ts';
import type { ErrorCode, ErrorResponse } from '../../../src/contract/errors.ts';

/** Body of an error of the service, or of API Gateway, which contains only a message. */
type ErrorBody = Partial<ErrorResponse & Pick<StaleAnswer, 'current'>> & { readonly message?: string };

/** The error for an answer that is not a success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Undefined when the request did not reach the service. */
  readonly code: ErrorCode | undefined;
  /** Each wrong field of the input, as a path with dots. */
  readonly fields: readonly { readonly field: string; readonly problem: string }[];
  /** The current entity, when a save was refused because another user has saved before. */
  readonly current: StaleAnswer['current'] | undefined;
  /** Whole seconds until the next request can succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    super(body.error ?? body.message ?? `Error ${status}`);
    this.status = status;
    this.code = body.code;
    this.fields = body.fields ?? onlyField(body);
    this.current = body.current;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the problem of the single field of a refusal. The message contains it after the field's name. */
function onlyField({ field, error = '' }: ErrorBody): ApiError['fields'] {
  if (field === undefined) return [];
  return [{ field, problem: error.startsWith(`${field}: `) ? error.slice(field.length + 2) : error }];
}

/** Returns the current assistant from the refusal of a save, because another user has saved before. */
export function currentAssistant(error: unknown): AssistantView | undefined {
  const current = error instanceof ApiError ? error.current : undefined;
  return current !== undefined && !('action_id' in current) ? current : undefined;
}

/** Returns the current Action from the refusal of a save. */
export function currentAction(error: unknown): ActionView | undefined {
  const current = error instanceof ApiError ? error.current : undefined;
  return current !== undefined && 'action_id' in current ? current : undefined;
}

/** Creates the error for an answer of the service or of API Gateway. */
export async function apiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(response.status, isErrorBody(body) ? body : {}, Number.isInteger(seconds) ? seconds : undefined);
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null;
}
