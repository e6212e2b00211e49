import { isList, isObject, type Json, type JsonObject, parseObject } from '../json.ts';
import { type AwsRequest, ServiceError } from './aws-request.ts';

/** Operation and parameters of a call in one of AWS's JSON protocols. @throws ServiceError when it is not one */
export function readJsonCall(request: AwsRequest): { operation: string; parameters: JsonObject } {
  const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
  const parameters = parseObject(request.body.toString('utf8') || '{}');
  if (operation === '' || parameters === undefined) {
    throw new ServiceError('SerializationException', 'The request is not a call in an AWS JSON protocol');
  }
  return { operation, parameters };
}

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
  if (!isList(value)) throw new ServiceError('ValidationException', `${name} must be a list`);
  return value.map((item) => {
    if (!isObject(item)) throw new ServiceError('ValidationException', `${name} must be a list of objects`);
    return item;
  });
}
