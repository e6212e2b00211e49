import type { PublicPath } from '../src/contract/public-operations.ts';

/** An answer of the API. Status 0 means no readable answer: a network error, a timeout or the browser's cross-origin check. */
export type Answer = { readonly status: number; readonly body: unknown };

/** A path of the API below its base. */
type Path = `${PublicPath<'initWidget'>}?site=${string}` | PublicPath<'submitForm'>;

export type Post = (path: Path, headers: Record<string, string>, body: unknown) => Promise<Answer>;

/** Longer than the 5 s that the service allows the customer's endpoint. */
const TIMEOUT_MS = 15_000;

/** Returns `post`, and `abort`, which ends every request in progress and prevents later ones. */
export function httpClient(base: string): { readonly post: Post; readonly abort: () => void } {
  const running = new Set<AbortController>();
  let closed = false;

  const post: Post = async (path, headers, body) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
    running.add(controller);
    try {
      if (closed) controller.abort();
      const response = await fetch(base + path, {
        method: 'POST',
        credentials: 'omit',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: controller.signal,
      });
      const text = await response.text();
      return { status: response.status, body: parse(text) };
    } catch {
      return { status: 0, body: undefined };
    } finally {
      clearTimeout(timer);
      running.delete(controller);
    }
  };

  const abort = () => {
    closed = true;
    for (const controller of running) controller.abort();
  };
  return { post, abort };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
