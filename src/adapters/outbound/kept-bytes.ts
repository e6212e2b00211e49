const FIRST_BYTES = 4096;

/**
 * Keeps the first bytes of a stream, whatever pieces they come in: one growing block, because a buffer of its own for each piece costs
 * a hundred times what a piece of one byte holds.
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
