import { Agent, request } from 'undici';
import type { Ask } from '../domain/auth/try-service.ts';

/** Longer than a cold start, and about as long as a visitor waits for a widget. The body is included. */
const TIMEOUT_MS = 8_000;
/** Several times the largest file that the canary asks for. */
const ANSWER_MAX_BYTES = 1024 * 1024;

/** Sends requests to the service's own public address, without the outbound pipeline. A redirect is not followed. */
export function askService(baseUrl: string, timeoutMs = TIMEOUT_MS): Ask {
  const dispatcher = new Agent({
    // undici heeds the signal only once it is connected.
    connect: { timeout: timeoutMs },
    maxResponseSize: ANSWER_MAX_BYTES,
  });
  return async ({ method, path, headers, body }) => {
    const response = await request(`${baseUrl}${path}`, {
      dispatcher,
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
      // The function is frozen between two runs, and its connections are closed meanwhile.
      reset: true,
      // Of the whole exchange, also of a body that arrives piece by piece.
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.statusCode, text: await response.body.text() };
  };
}
