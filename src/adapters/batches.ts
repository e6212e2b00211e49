/** Limits of one batch. */
export type BatchLimits = { readonly entries: number; readonly bytes: number };

/** Splits entries into batches within these limits, in their order. An entry that is larger than a batch is alone in one. */
export function batchesOf<Entry extends { readonly bytes: number }>(
  entries: readonly Entry[],
  limits: BatchLimits,
): readonly Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const current = batches.at(-1);
    bytes += entry.bytes;
    if (current === undefined || current.length === limits.entries || bytes > limits.bytes) {
      batches.push([entry]);
      bytes = entry.bytes;
    } else {
      current.push(entry);
    }
  }
  return batches;
}
