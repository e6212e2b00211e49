import type { Check } from '../access/authorizer.ts';
import { isList, isObject, type Json, type JsonObject, parseObject } from '../json.ts';
import { type AwsRequest, type AwsResponse, type AwsService, ServiceError, UnknownOperation } from './aws-request.ts';

/** A call that is emulated. Both functions throw a ServiceError on parameters that the service refuses. */
export type Operation = {
  /** The actions that the caller's policies must all allow. */
  readonly checks: (parameters: JsonObject) => readonly Check[];
  readonly answer: (parameters: JsonObject, request: AwsRequest) => Promise<AwsResponse> | AwsResponse;
};

/** A service that speaks one of AWS's JSON protocols. @param name of the service in messages */
export function jsonService(name: string, operations: Readonly<Record<string, Operation>>): AwsService {
  const known = new Map(Object.entries(operations));
  return {
    refuse: jsonRefusal,
    understand(request) {
      const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
      const parameters = parseObject(request.body.toString('utf8') || '{}');
      if (operation === '' || parameters === undefined) {
        throw new ServiceError('SerializationException', 'The request is not a call in an AWS JSON protocol');
      }
      const found = known.get(operation);
      if (found === undefined) throw new UnknownOperation(name, operation);
      return { checks: found.checks(parameters), perform: async () => found.answer(parameters, request) };
    },
  };
}

export const jsonResponse = (value: object, status = 200): AwsResponse => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(value),
});

/** An error of the JSON protocols. */
export const jsonRefusal = (error: ServiceError): AwsResponse =>
  jsonResponse({ __type: error.code, message: error.message, Message: error.message }, error.status);

/** A parameter that must be text. @throws ServiceError when it is not */
export function textOf(parameters: JsonObject, name: string): string {
  const value = parameters[name];
  if (typeof value !== 'string' || value === '') throw new ServiceError('ValidationException', `${name} must be text`);
  return value;
}

/** A parameter that may be missing, but else must be text. */
export function optionalText(parameters: JsonObject, name: string): string | undefined {
  return parameters[name] === undefined || parameters[name] === null ? undefined : textOf(parameters, name);
}

/** A parameter that is a list of objects. A missing one is empty. */
export function objectsOf(parameters: JsonObject, name: string): readonly JsonObject[] {
  const value: Json = parameters[name] ?? [];
  if (!isList(value) || !value.every(isObject)) {
    throw new ServiceError('ValidationException', `${name} must be a list of objects`);
  }
  return value;
}
