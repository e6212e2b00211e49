import type { Authorizer, Check } from '../access/authorizer.ts';
import type { Caller } from '../access/callers.ts';

/** A received call. */
export type AwsRequest = {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type AwsResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
};

/** A call that a service's handler has parsed. */
export type AwsCall = {
  /** The actions that the caller's policies must all allow. */
  readonly checks: readonly Check[];
  /** Performs the call after everything is allowed. */
  perform(): Promise<AwsResponse>;
};

/** One AWS service behind the gateway. */
export type AwsService = {
  /** Parses a call. @throws ServiceError when the call is malformed or unknown */
  understand(request: AwsRequest): AwsCall;
  /** Returns the error in the format of the service. */
  refuse(error: ServiceError): AwsResponse;
};

/** An error that the gateway answers in the format of AWS. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** @throws ServiceError when the caller's policies do not allow the call */
export function requireAllowed(authorizer: Authorizer, caller: Caller, check: Check): void {
  const denial = authorizer.check(caller, check);
  if (denial !== undefined) throw new ServiceError('AccessDeniedException', denial.message);
}

/** The error for an operation that is not emulated. Doing nothing would look like success. */
export class UnknownOperation extends ServiceError {
  constructor(service: string, operation: string) {
    super('UnknownOperationException', `The local cloud does not know ${service} ${operation}`);
  }
}

/** Headers of an engine's answer that go on to the client. */
export function passedOn(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && name !== 'connection' && name !== 'transfer-encoding') passed[name] = value;
  }
  return passed;
}
