import type { TryServicePorts } from '../../domain/operations/try-service.ts';

/** More than a cold start takes; whoever waits longer for a widget is gone. */
const PATIENCE_MS = 8_000;

/**
 * Asks the service itself, at its own public address. Not the outbound pipeline, which is for the addresses of customers: this one is the
 * operator's, and a redirect is a failure.
 */
export function publicAddress(baseUrl: string): TryServicePorts['ask'] {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      // Over the body as well.
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, text: await response.text() };
  };
}
