import { EVENT_MAX_BYTES, type LambdaFunction } from '../functions/lambda-function.ts';
import { AwsError, type AwsService, UnknownOperation } from '../gateway.ts';

const INVOKE = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(?:\?.*)?$/;

/** Lambda's Invoke that waits for the answer. */
export function lambda(functions: readonly LambdaFunction[]): AwsService {
  return {
    refuse: (error) => ({
      status: error.code === 'AccessDeniedException' ? 403 : error.status,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': error.code },
      body: JSON.stringify({ Message: error.message, message: error.message }),
    }),
    async answer({ method, path, headers, body }, demand) {
      const name = INVOKE.exec(path)?.[1];
      if (name === undefined || method !== 'POST') throw new UnknownOperation('lambda', `${method} ${path}`);
      const id = decodeURIComponent(name);
      const fn = functions.find((known) => known.isCalled(id));
      if (fn === undefined) throw new AwsError('ResourceNotFoundException', `Function not found: ${id}`, 404);
      demand('lambda:InvokeFunction', fn.definition.arn);
      const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
      if (type !== 'RequestResponse') throw new UnknownOperation('lambda', `Invoke ${type}`);
      if (body.length > EVENT_MAX_BYTES) {
        const message = `Request must be smaller than ${EVENT_MAX_BYTES} bytes`;
        throw new AwsError('RequestTooLargeException', message, 413);
      }
      // What is no JSON is an error of the function, which parses it.
      const { hasFailed, payload } = await fn.invoke(body.toString('utf8') || '{}');
      const error: Readonly<Record<string, string>> = hasFailed ? { 'x-amz-function-error': 'Unhandled' } : {};
      const answered = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST', ...error };
      return { status: 200, headers: answered, body: payload };
    },
  };
}
