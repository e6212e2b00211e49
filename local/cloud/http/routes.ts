import { CloudError } from '../cloud-error.ts';

export type RouteMatch<T> = {
  readonly key: string;
  readonly target: T;
  readonly parameters: Readonly<Record<string, string>>;
};

type Route<T> = {
  readonly key: string;
  readonly target: T;
  readonly method: string;
  readonly segments: readonly string[];
};

/** The routes of an HTTP API, by key: `POST /a/{id}`, `ANY /b/{proxy+}`, `$default`. */
export class Routes<T> {
  readonly #routes: readonly Route<T>[];
  readonly #default: Route<T> | undefined;

  /** @throws CloudError when a key is not one of an HTTP API */
  constructor(routes: readonly { readonly key: string; readonly target: T }[]) {
    const parsed = routes.map(({ key, target }): Route<T> => {
      const [method, path] = key === '$default' ? ['ANY', ''] : key.split(' ');
      if (method === undefined || path === undefined) throw new CloudError(`${key} is not the key of a route`);
      return { key, target, method, segments: path.split('/').slice(1) };
    });
    this.#default = parsed.find(({ key }) => key === '$default');
    this.#routes = parsed.filter(({ key }) => key !== '$default');
  }

  /**
   * The most specific route: fixed segments before `{one}` before `{all+}`, then the method before ANY, then `$default`.
   * @param path decoded, without the query string
   */
  match(method: string, path: string): RouteMatch<T> | undefined {
    const segments = path.split('/').slice(1);
    const fitting = this.#routes
      .filter((route) => route.method === 'ANY' || route.method === method)
      .map((route) => ({ route, parameters: parametersOf(route.segments, segments) }))
      .filter(({ parameters }) => parameters !== undefined)
      .sort((a, b) => compare(rank(a.route), rank(b.route)));
    const best = fitting[0];
    if (best?.parameters !== undefined) return { ...best.route, parameters: best.parameters };
    return this.#default === undefined ? undefined : { ...this.#default, parameters: {} };
  }
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index];
    if (segment === undefined) return undefined;
    if (part.startsWith('{') && part.endsWith('+}')) {
      parameters[part.slice(1, -2)] = segments.slice(index).join('/');
      return parameters;
    }
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
    } else if (segment === '') return undefined;
    else parameters[part.slice(1, -1)] = segment;
  }
  return segments.length === pattern.length ? parameters : undefined;
}

/** One digit per segment, smaller is more specific. */
const rank = <T>({ segments, method }: Route<T>): string =>
  segments.map((part) => (part.endsWith('+}') ? '3' : part.startsWith('{') ? '2' : '1')).join('') +
  (method === 'ANY' ? '9' : '0');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
