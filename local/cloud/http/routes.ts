import { CloudError } from '../cloud-error.ts';

/** The routes of an HTTP API, by key: `POST /a/{id}`, `ANY /b/{proxy+}`, `$default`. */
export class Routes<Route extends { readonly key: string }> {
  /** The most specific first. */
  readonly #routes: readonly { readonly route: Route; readonly matches: RegExp; readonly rank: string }[];

  /** @throws CloudError when a key is not one of an HTTP API */
  constructor(routes: readonly Route[]) {
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
  ): { readonly route: Route; readonly parameters: Readonly<Record<string, string>> } | undefined {
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

/** Decodes percent-encoded text; undefined when it is malformed. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
