import type { Ask } from '../domain/auth/try-service.ts';

/** Longer than a cold start, and about as long as a visitor waits for a widget. */
const TIMEOUT_MS = 8_000;

/**
 * Sends requests to the service at its own public address. A redirect is an error. It does not use the outbound pipeline, which is for
 * endpoints of customers.
 */
export function askService(baseUrl: string): Ask {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      // The timeout includes the body.
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  };
}
