/** A group with this many messages in flight is noisy. A function receives as many in one batch. */
const NOISY_FROM = 10;

type Grouped = { readonly messageGroupId?: string | undefined };

/** Returns the groups with too many messages in flight. */
export function noisyGroups(inWork: Iterable<Grouped>): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { messageGroupId } of inWork) {
    if (messageGroupId !== undefined) counts.set(messageGroupId, (counts.get(messageGroupId) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= NOISY_FROM).map(([group]) => group));
}

/**
 * Chooses the waiting messages that are delivered next, as the fair queues of SQS do: first those of quiet groups, in their order. A
 * batch never has messages of both kinds, so that a quiet group does not wait for a noisy group's endpoints.
 * @param quietOnly chooses no message of a noisy group, even when no other message waits
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
