import type { IncomingMessage } from 'node:http';

/** What Node's parser takes for a head: it lets HTTP/2.0, RTSP/1.0 and others pass, and says HTTP/1.0 of some of them. */
const HEAD = /[\r\n]*HTTP\/1\.[01] [\s\S]*?\r?\n\r?\n/y;
const TAIL_BYTES = 4;

/** An answer as it was on the wire, beside the parser, which tells neither the protocol's name nor what follows the answer. */
export function readWire() {
  let heads: string | undefined = '';
  let tail = '';
  let received = 0;
  return {
    /** Has to see every piece before the parser does. */
    read: (piece: Buffer): void => {
      received += piece.length;
      tail = (tail + piece.toString('latin1', Math.max(0, piece.length - TAIL_BYTES))).slice(-TAIL_BYTES);
      if (heads !== undefined) heads += piece.toString('latin1');
    },

    /** Bytes of this many heads, interim ones included; undefined when one is not of HTTP/1. To be asked once. */
    headBytes: (count: number): number | undefined => {
      HEAD.lastIndex = 0;
      const text = heads ?? '';
      heads = undefined;
      for (let head = 0; head < count; head++) if (!HEAD.test(text)) return undefined;
      return HEAD.lastIndex;
    },

    /**
     * Whether nothing follows a complete answer. The parser says nothing of the beginning of another one: it is counted out, or, for an
     * answer in chunks, seen by its not ending as chunks do.
     */
    endsWith: (headBytes: number, bodyBytes: number, { headers }: IncomingMessage): boolean =>
      headers['transfer-encoding'] === undefined ? received === headBytes + bodyBytes : tail === '\r\n\r\n',
  };
}
