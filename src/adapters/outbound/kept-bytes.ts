const FIRST_BYTES = 4096;

/**
 * Keeps the first bytes of a stream in one growing block. A separate buffer for each piece would need a hundred times the memory of a
 * piece of one byte.
 *
 * @param limit bytes to keep
 */
export function keepBytesOf(limit: number) {
  let block = Buffer.alloc(0);
  let length = 0;
  return {
    add: (piece: Uint8Array): void => {
      const part = piece.subarray(0, limit - length);
      if (length + part.length > block.length) {
        const grown = Buffer.alloc(Math.min(limit, Math.max(FIRST_BYTES, 2 * block.length, length + part.length)));
        block.copy(grown, 0, 0, length);
        block = grown;
      }
      block.set(part, length);
      length += part.length;
    },
    bytes: (): Uint8Array => block.subarray(0, length),
  };
}
