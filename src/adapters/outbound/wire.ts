import type { IncomingMessage } from 'node:http';

/** Matches a valid response head. Node's parser also accepts HTTP/2.0, RTSP/1.0 and others, and reports some of them as HTTP/1.0. */
const HEAD = /[\r\n]*HTTP\/1\.[01] [\s\S]*?\r?\n\r?\n/y;
const TAIL_BYTES = 4;

/**
 * Creates an observer of the received bytes. It supplements the parser, which reports neither the name of the protocol nor bytes after
 * the response.
 */
export function readWire() {
  let heads: string | undefined = '';
  let tail = '';
  let received = 0;
  return {
    /** Reads a piece. Must be called with every piece before the parser reads it. */
    read: (piece: Buffer): void => {
      received += piece.length;
      tail = (tail + piece.toString('latin1', Math.max(0, piece.length - TAIL_BYTES))).slice(-TAIL_BYTES);
      if (heads !== undefined) heads += piece.toString('latin1');
    },

    /** Returns the bytes that were received so far. */
    received: (): number => received,

    /** Returns the bytes of this number of heads, including interim ones; undefined when one is not HTTP/1. Call it once. */
    headBytes: (count: number): number | undefined => {
      HEAD.lastIndex = 0;
      const text = heads ?? '';
      heads = undefined;
      for (let head = 0; head < count; head++) if (!HEAD.test(text)) return undefined;
      return HEAD.lastIndex;
    },

    /**
     * Returns whether no byte follows a complete response. The parser does not report further bytes. They are found by counting bytes or,
     * for a response in chunks, by a wrong end.
     */
    endsWith: (headBytes: number, bodyBytes: number, { headers }: IncomingMessage): boolean =>
      headers['transfer-encoding'] === undefined ? received === headBytes + bodyBytes : tail === '\r\n\r\n',
  };
}
