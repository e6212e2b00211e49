/** So many messages of one group in work, and the group counts as noisy: as many as a function takes at once. */
const NOISY_FROM = 10;

type Grouped = { readonly messageGroupId?: string | undefined };

/** The groups of which too much is in work already. */
export function noisyGroups(inWork: Iterable<Grouped>): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { messageGroupId } of inWork) {
    if (messageGroupId !== undefined) counts.set(messageGroupId, (counts.get(messageGroupId) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= NOISY_FROM).map(([group]) => group));
}

/**
 * Which of the waiting messages are handed out next, as SQS does in its fair queues: those of quiet groups first, in their order. One
 * batch never holds both kinds, so that nobody waits for the answers that a noisy group is waiting for.
 * @param quietOnly nothing of a noisy group, even if nothing else waits
 * @returns positions in `waiting`, at most `max`
 */
export function nextMessages(
  waiting: readonly Grouped[],
  noisy: ReadonlySet<string>,
  max: number,
  quietOnly: boolean,
): readonly number[] {
  const quiet: number[] = [];
  for (let index = 0; index < waiting.length && quiet.length < max; index++) {
    const group = waiting[index]?.messageGroupId;
    if (group === undefined || !noisy.has(group)) quiet.push(index);
  }
  if (quiet.length > 0 || quietOnly) return quiet;
  return Array.from({ length: Math.min(max, waiting.length) }, (_, index) => index);
}
