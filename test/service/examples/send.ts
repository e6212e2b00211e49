import { request as httpRequest } from 'node:http';
import type { OutboundRequest } from '../../../src/domain/context.ts';

export type Reply = { readonly status: number; readonly body: string };

/** Sends these bytes and headers to another address on a new connection. */
export function send(
  url: string,
  { method, headers, body }: Pick<OutboundRequest, 'method' | 'headers' | 'body'>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'Content-Length': String(body.length) };
    const options = { method, headers: { ...headers, ...length }, agent: false as const };
    const request = httpRequest(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
    request.setTimeout(5000, () => request.destroy(new Error(`No answer from ${url}`)));
    request.end(body ?? undefined);
  });
}
