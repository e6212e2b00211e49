/** SQS limits: entries per batch, and bytes of one message and of all messages of a batch together. */
const BATCH_ENTRIES = 10;
export const BATCH_MAX_BYTES = 1024 * 1024;

/** Splits entries, none larger than a batch, into batches by number and size, in their order. */
export function batchesOf<Entry extends { readonly bytes: number }>(entries: readonly Entry[]): readonly Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const current = batches.at(-1);
    bytes += entry.bytes;
    if (current === undefined || current.length === BATCH_ENTRIES || bytes > BATCH_MAX_BYTES) {
      batches.push([entry]);
      bytes = entry.bytes;
    } else {
      current.push(entry);
    }
  }
  return batches;
}
