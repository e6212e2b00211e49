import type { IncomingMessage } from 'node:http';
import type { Authorizer } from '../access/authorizer.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { LambdaFunction } from '../functions/lambda-function.ts';
import type { LambdaFunctions } from '../functions/lambda-functions.ts';
import { withinResponseLimit } from '../functions/response-limit.ts';
import { type HttpAnswer, readBody } from '../listener.ts';
import { JwtAuthorizer } from '../login/jwt-authorizer.ts';
import type { Route } from '../template/stack.ts';
import { answerOf, eventOf } from './api-payload.ts';
import { decoded, Routes } from './routes.ts';

/** Limits of an HTTP API. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_HEADER_BYTES = 10_240;
const INTEGRATION_TIMEOUT_MS = 30_000;
/** Lambda's limit. A larger event never reaches the function. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024;

const message = (status: number, text: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: text }),
});

/** Emulates the HTTP API of the template: routes to functions, with payload format 2.0. */
export class HttpApi {
  readonly #id: string;
  readonly #routes: Routes<Route & { readonly fn: LambdaFunction }>;
  readonly #authorizer: Authorizer;
  readonly #tokens = new JwtAuthorizer();

  /** @throws CloudError when a route leads to a function that is not in the template */
  constructor(id: string, routes: readonly Route[], functions: LambdaFunctions, authorizer: Authorizer) {
    this.#id = id;
    this.#authorizer = authorizer;
    this.#routes = new Routes(
      routes.map((route) => {
        const fn = functions.find(route.functionArn);
        if (fn === undefined)
          throw new CloudError(`The route ${route.key} leads to a function that is not in the stack`);
        return { ...route, fn };
      }),
    );
  }

  /** Answers one request as API Gateway does. */
  async answer(request: IncomingMessage): Promise<HttpAnswer> {
    const headerBytes = request.rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 0);
    const body = await readBody(request, MAX_BODY_BYTES);
    if (headerBytes > MAX_HEADER_BYTES) return message(431, 'Request Header Fields Too Large');
    if (body === undefined) return message(413, 'Request Entity Too Large');
    const method = request.method ?? 'GET';
    const [encodedPath = '/', ...query] = (request.url ?? '/').split('?');
    const path = decoded(encodedPath);
    if (path === undefined) return message(400, 'Bad Request');
    const found = this.#routes.match(method, path);
    if (found === undefined) return message(404, 'Not Found');
    const { key, fn, authorizer: jwt } = found.route;
    const verified = jwt === undefined ? undefined : await this.#tokens.check(jwt, request.headers.authorization);
    if (verified !== undefined && 'refused' in verified) return verified.refused;
    // A permission names the method also for a route with any method.
    const sourceArn = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${this.#id}/$default/${key.replace(' ', '')}`;
    const denial = this.#authorizer.check(
      { kind: 'service', service: 'apigateway.amazonaws.com', sourceArn },
      { action: 'lambda:InvokeFunction', resource: fn.definition.arn },
    );
    if (denial !== undefined) return message(500, 'Internal Server Error');
    const event = JSON.stringify(
      eventOf(request, {
        apiId: this.#id,
        routeKey: key,
        pathParameters: found.parameters,
        path,
        rawQueryString: query.join('?'),
        body,
        authorizer: verified?.authorizer,
      }),
    );
    if (Buffer.byteLength(event) > MAX_EVENT_BYTES) return message(413, 'Request Entity Too Large');
    const result = await withTimeout(fn.invoke(event), INTEGRATION_TIMEOUT_MS);
    if (result === undefined) return message(503, 'Service Unavailable');
    const { failed, payload } = withinResponseLimit(result);
    const answer = failed ? undefined : answerOf(payload);
    return answer ?? message(500, 'Internal Server Error');
  }
}

async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  const result = await Promise.race([promise, late]);
  clearTimeout(timer);
  return result;
}
