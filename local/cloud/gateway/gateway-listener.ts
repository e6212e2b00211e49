import type { IncomingMessage } from 'node:http';
import { type HttpAnswer, readBody } from '../listener.ts';
import type { Gateway } from './gateway.ts';

/** The largest request that any service takes is Lambda's, 6 MB; DynamoDB's is 16 MB. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** The gateway as AWS clients reach it: over HTTP, signed. */
export async function answerHttp(gateway: Gateway, request: IncomingMessage): Promise<HttpAnswer> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === undefined) return { status: 413, headers: {}, body: 'Request Entity Too Large' };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(',');
  }
  return gateway.answer({ method: request.method ?? 'GET', path: request.url ?? '/', headers, body });
}
