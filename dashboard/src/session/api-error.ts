import type { DashboardError, StaleAnswer } from '../../../src/contract/dashboard.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';

/** Body of an error: the service's, or that of API Gateway before it, which has a message only. */
type ErrorBody = Partial<DashboardError & Pick<StaleAnswer, 'current'>> & { readonly message?: string };

/** A refusal or a fault, as the service tells it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Undefined when the request did not reach the service. */
  readonly code: ErrorCode | undefined;
  /** Each field of the input that is wrong, as a path with dots. */
  readonly fields: readonly { readonly field: string; readonly problem: string }[];
  /** What stands there now, when a save was refused because somebody else saved before. */
  readonly current: StaleAnswer['current'] | undefined;
  /** Whole seconds until it makes sense to ask again. */
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

/** A refusal about one field has it in its message, behind the field's name. */
function onlyField({ field, error = '' }: ErrorBody): ApiError['fields'] {
  if (field === undefined) return [];
  return [{ field, problem: error.startsWith(`${field}: `) ? error.slice(field.length + 2) : error }];
}

/** The error that an answer tells, whoever wrote its body. */
export async function apiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(response.status, isErrorBody(body) ? body : {}, Number.isInteger(seconds) ? seconds : undefined);
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null;
}
