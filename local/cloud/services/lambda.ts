import type { LambdaFunctions } from '../functions/lambda-functions.ts';
import { withinResponseLimit } from '../functions/response-limit.ts';
import { type AwsService, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';

const INVOKE = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(?:\?.*)?$/;

/** Lambda's limit for an event, in bytes. */
const LIMIT = { RequestResponse: 6 * 1024 * 1024, Event: 1024 * 1024 } as const;

/** Lambda's Invoke, waiting for the answer or not. */
export function lambda(functions: LambdaFunctions): AwsService {
  return {
    refuse: (error) => ({
      status: error.code === 'AccessDeniedException' ? 403 : error.status,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': error.code },
      body: JSON.stringify({ Message: error.message, message: error.message }),
    }),
    understand(request) {
      const name = INVOKE.exec(request.path)?.[1];
      if (name === undefined || request.method !== 'POST') {
        throw new UnknownOperation('lambda', `${request.method} ${request.path}`);
      }
      const found = functions.find(decodeURIComponent(name));
      if (found === undefined) {
        throw new ServiceError('ResourceNotFoundException', `Function not found: ${decodeURIComponent(name)}`, 404);
      }
      const type = request.headers['x-amz-invocation-type'] ?? 'RequestResponse';
      return {
        checks: [{ action: 'lambda:InvokeFunction', resource: found.definition.arn }],
        async perform() {
          if (type !== 'RequestResponse' && type !== 'Event') throw new UnknownOperation('lambda', `Invoke ${type}`);
          const event = eventOf(request.body, LIMIT[type]);
          if (type === 'Event') {
            found.invokeLater(event);
            return { status: 202, headers: {}, body: '' };
          }
          const { failed, payload } = withinResponseLimit(await found.invoke(event));
          const error: Readonly<Record<string, string>> = failed ? { 'x-amz-function-error': 'Unhandled' } : {};
          const headers = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST', ...error };
          return { status: 200, headers, body: payload };
        },
      };
    },
  };
}

/** @throws ServiceError when the body is too large or no JSON */
function eventOf(body: Buffer, limit: number): string {
  if (body.length > limit) {
    throw new ServiceError('RequestTooLargeException', `Request must be smaller than ${limit} bytes`, 413);
  }
  const event = body.toString('utf8') || '{}';
  try {
    JSON.parse(event);
    return event;
  } catch {
    throw new ServiceError('InvalidRequestContentException', 'Could not parse request body into json');
  }
}
