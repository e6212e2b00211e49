import type { IncomingMessage } from 'node:http';
import { type HttpAnswer, readBody } from '../listener.ts';
import type { Gateway } from './gateway.ts';

/** The largest request of any service: DynamoDB accepts 16 MB, Lambda 6 MB. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** The HTTP listener of the gateway, for signed requests of AWS clients. */
export async function answerHttp(gateway: Gateway, request: IncomingMessage): Promise<HttpAnswer> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === undefined) return { status: 413, headers: {}, body: 'Request Entity Too Large' };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(',');
  }
  return gateway.answer({ method: request.method ?? 'GET', path: request.url ?? '/', headers, body });
}
