import type { Authorizer } from '../access/authorizer.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { LambdaFunction } from '../functions/lambda-function.ts';
import { type HttpAnswer, type HttpRequest, jsonMessage } from '../listener.ts';
import type { Route } from '../template/stack.ts';
import { answerOf, eventOf } from './api-payload.ts';
import { JwtAuthorizer } from './jwt-authorizer.ts';

/** Limits of an HTTP API. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_HEADER_BYTES = 10_240;
/** Lambda's limit. A larger event never reaches the function. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024;

/** Emulates the HTTP API of the template: routes to functions, with payload format 2.0. */
export class HttpApi {
  readonly #id: string;
  readonly #routes: Routes<Route & { readonly fn: LambdaFunction }>;
  readonly #authorizer: Authorizer;
  readonly #tokens = new JwtAuthorizer();

  /** @throws CloudError when a route leads to a function that is not in the template */
  constructor(id: string, routes: readonly Route[], functions: readonly LambdaFunction[], authorizer: Authorizer) {
    this.#id = id;
    this.#authorizer = authorizer;
    this.#routes = new Routes(
      routes.map((route) => {
        const fn = functions.find((known) => known.isCalled(route.functionArn));
        if (fn !== undefined) return { ...route, fn };
        throw new CloudError(`The route ${route.key} leads to a function that is not in the stack`);
      }),
    );
  }

  /** Answers one request as API Gateway does. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { method, headers, body } = request;
    const headerBytes = Object.entries(headers).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')) + 4, 0);
    if (headerBytes > MAX_HEADER_BYTES) return jsonMessage(431, 'Request Header Fields Too Large');
    if (body.length > MAX_BODY_BYTES) return jsonMessage(413, 'Request Entity Too Large');
    const [encodedPath = '/', ...query] = request.path.split('?');
    const path = decoded(encodedPath);
    if (path === undefined) return jsonMessage(400, 'Bad Request');
    const found = this.#routes.match(method, path);
    if (found === undefined) return jsonMessage(404, 'Not Found');
    const { key, fn, authorizer: jwt } = found.route;
    const verified = jwt === undefined ? undefined : await this.#tokens.check(jwt, headers.authorization);
    if (verified !== undefined && 'refused' in verified) return verified.refused;
    // A permission names the method also for a route with any method.
    const sourceArn = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${this.#id}/$default/${key.replace(' ', '')}`;
    const denial = this.#authorizer.check(
      { kind: 'service', service: 'apigateway.amazonaws.com', sourceArn },
      { action: 'lambda:InvokeFunction', resource: fn.definition.arn },
    );
    if (denial !== undefined) return jsonMessage(500, 'Internal Server Error');
    const event = JSON.stringify(
      eventOf(request, {
        apiId: this.#id,
        routeKey: key,
        pathParameters: found.parameters,
        path,
        rawQueryString: query.join('?'),
        authorizer: verified?.authorizer,
      }),
    );
    if (Buffer.byteLength(event) > MAX_EVENT_BYTES) return jsonMessage(413, 'Request Entity Too Large');
    const { failed, payload } = await fn.invoke(event);
    return (failed ? undefined : answerOf(payload)) ?? jsonMessage(500, 'Internal Server Error');
  }
}

/** Decodes percent-encoded text; undefined when it is malformed. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The routes of an HTTP API, by key: `POST /a/{id}`, `ANY /b/{proxy+}`, `$default`. */
export class Routes<Keyed extends { readonly key: string }> {
  /** The most specific first. */
  readonly #routes: readonly { readonly route: Keyed; readonly matches: RegExp; readonly rank: string }[];

  /** @throws CloudError when a key is not one of an HTTP API */
  constructor(routes: readonly Keyed[]) {
    this.#routes = routes
      .map((route) => ({ route, ...parsed(route.key) }))
      .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  }

  /**
   * The most specific route: fixed segments before `{one}` before `{all+}`, then the method before ANY, then `$default`.
   * @param path decoded, without the query string
   */
  match(
    method: string,
    path: string,
  ): { readonly route: Keyed; readonly parameters: Readonly<Record<string, string>> } | undefined {
    for (const { route, matches } of this.#routes) {
      const found = matches.exec(`${method} ${path}`);
      if (found !== null) return { route, parameters: { ...found.groups } };
    }
    return undefined;
  }
}

/** A rank has one digit per segment and one for the method. Smaller is more specific. */
function parsed(key: string): { readonly matches: RegExp; readonly rank: string } {
  if (key === '$default') return { matches: /^/, rank: '9' };
  const [, method = '', path = ''] = /^([A-Z]+) (\/.*)$/.exec(key) ?? [];
  if (method === '') throw new CloudError(`${key} is not the key of a route`);
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => {
      const [, name, greedy] = /^\{(\w+)(\+?)\}$/.exec(segment) ?? [];
      if (name === undefined) return { rank: '1', pattern: segment.replaceAll(/[^\w-]/g, '\\$&') };
      return greedy === '+' ? { rank: '3', pattern: `(?<${name}>.*)` } : { rank: '2', pattern: `(?<${name}>[^/]+)` };
    });
  const pattern = segments.map((segment) => `/${segment.pattern}`).join('');
  const rank = segments.map((segment) => segment.rank).join('');
  const any = method === 'ANY';
  return { matches: new RegExp(`^${any ? '\\S+' : method} ${pattern}$`, 's'), rank: rank + (any ? '4' : '0') };
}
