import type { IncomingMessage } from 'node:http';
import { VerificationError } from './verification-error.ts';

export type ReceivedRequest = IncomingMessage & {
  /** Set by `express.raw()`. A JSON parser sets it too; its value cannot be verified, because the raw bytes are lost. */
  readonly body?: unknown;
  /** Set by some hosts, such as Google Cloud Functions. */
  readonly rawBody?: unknown;
};

/**
 * Returns the bytes of a request's body: those that a host or `express.raw()` kept, else those of the stream.
 * @throws Error when another parser has already read the stream
 * @throws VerificationError `body_too_large`
 */
export async function readRawBody(request: ReceivedRequest, maxBytes: number): Promise<Uint8Array> {
  for (const kept of [request.rawBody, request.body]) {
    if (kept instanceof Uint8Array || typeof kept === 'string') {
      const bytes = Buffer.from(kept);
      if (bytes.length > maxBytes) throw tooLarge(maxBytes);
      return bytes;
    }
  }
  if (request.readableDidRead) {
    throw new Error('The body was read before its signature could be checked: mount this before express.json()');
  }
  return fromStream(request, maxBytes);
}

// Listens to events, because leaving a `for await` loop early would destroy the socket before the answer is written.
function fromStream(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(maxBytes));
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('The client closed the connection before the body was complete')));
  });
}

function tooLarge(maxBytes: number): VerificationError {
  return new VerificationError('body_too_large', `The body is larger than ${maxBytes} bytes`);
}
