import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { ReceivedRequest } from './feed.ts';

/**
 * Sends a request that was seen on the wire once more, as an eavesdropper could: unchanged, or with one character of its
 * body altered. The receiver must do nothing for either.
 */
export async function replay(
  original: ReceivedRequest,
  options: { readonly port: number; readonly caFile: string; readonly alter: boolean },
): Promise<void> {
  const body = options.alter ? original.body.replace(/[a-z](?=[^a-z]*$)/i, '#') : original.body;
  await new Promise<void>((resolve, reject) => {
    const sending = request(
      {
        host: 'localhost',
        port: options.port,
        path: original.path,
        method: 'POST',
        ca: readFileSync(options.caFile, 'utf8'),
        agent: false,
        headers: { 'Content-Type': 'application/json', ...original.headers },
      },
      (response) => response.resume().on('end', resolve),
    );
    sending.on('error', reject).end(body);
  });
}
