import type { Check } from '../access/authorizer.ts';
import type { Caller } from '../access/callers.ts';
import type { Json } from '../json.ts';

/** A received call with its caller. */
export type AwsRequest = {
  readonly caller: Caller;
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

/** The error for an operation that is not emulated. Doing nothing would look like success. */
export class UnknownOperation extends ServiceError {
  constructor(service: string, operation: string) {
    super('UnknownOperationException', `The local cloud does not know ${service} ${operation}`);
  }
}

export const jsonResponse = (version: '1.0' | '1.1', value: Json, status = 200): AwsResponse => ({
  status,
  headers: { 'content-type': `application/x-amz-json-${version}` },
  body: JSON.stringify(value),
});

/** An error of the JSON protocols. */
export const jsonRefusal =
  (version: '1.0' | '1.1') =>
  (error: ServiceError): AwsResponse =>
    jsonResponse(version, { __type: error.code, message: error.message, Message: error.message }, error.status);
