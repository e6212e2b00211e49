import type { IncomingMessage } from 'node:http';
import { RESPONSE_READ_MAX_BYTES } from '../../contract/limits.ts';
import { keepBytesOf } from './kept-bytes.ts';

/** Limit of pieces of the body. The parser calls back for each chunk, and a chunk of one byte costs as much as one of 16 KB. */
const PIECES_MAX = 10_000;

/** The body of a response, or the part of it that was read. */
export type ResponseBody = {
  readonly bytes: Uint8Array;
  /** Bytes that were read, of which only the first may be kept. */
  readonly readBytes: number;
  /** True when the body was read to its end. */
  readonly ended: boolean;
  /** False when the body did not end, or was not read as far as the caller needs it. */
  readonly complete: boolean;
  /** One line about a problem with the body; otherwise null. */
  readonly note: string | null;
};

export type BodyReader = {
  /** Settles when the body ends, is cut, or is broken off. Never rejects. */
  readonly body: Promise<ResponseBody>;
  /** Ends the body where it is, with a note. Does nothing when it has ended. */
  readonly breakOff: (note: string) => void;
};

/**
 * Starts to read the body of a response.
 * @param keepBytes bytes that the caller needs
 * @param unkeptBytes bytes that are read after those
 */
export function readBody(incoming: IncomingMessage, keepBytes: number, unkeptBytes: number): BodyReader {
  const { promise, resolve } = Promise.withResolvers<ResponseBody>();
  const kept = keepBytesOf(keepBytes);
  let readBytes = 0;
  let pieces = 0;
  const end = (complete: boolean, note: string | null, ended = false) =>
    resolve({ bytes: kept.bytes(), readBytes, ended, complete, note });

  incoming.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
    pieces += 1;
    kept.add(chunk);
    if (readBytes > RESPONSE_READ_MAX_BYTES) end(true, 'Only the first 1 MB of the response body was read');
    else if (readBytes > keepBytes + unkeptBytes) end(true, null);
    else if (pieces >= PIECES_MAX) end(readBytes > keepBytes, 'The response body came in too many pieces');
  });
  incoming.on('error', () => end(false, 'The response body broke off'));
  incoming.on('end', () => {
    if (incoming.complete) end(true, null, true);
    else end(false, 'The response body broke off');
  });
  return {
    body: promise,
    breakOff: (note) => {
      // The last bytes of a complete response are still to be read.
      if (incoming.complete) return;
      // Bytes that are parsed are still buffered. Reading passes them to the listener above.
      while (incoming.read() !== null);
      end(false, note);
    },
  };
}
