/**
 * From when on SQS calls a message group noisy: it has this many messages in flight, and they are more than this share of all. The other
 * measure of SQS, the share of the recent processing time, is left out, because SQS does not say how long "recent" is.
 */
const NOISY_MESSAGES = 30;
const NOISY_SHARE = 0.1;

type Grouped = { readonly messageGroupId?: string | undefined };

/** Returns the noisy groups and the number of their messages in flight. A message without a group is a group of its own. */
export function noisyGroups(inFlight: Iterable<Grouped>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { messageGroupId } of inFlight) {
    all += 1;
    if (messageGroupId !== undefined) counts.set(messageGroupId, (counts.get(messageGroupId) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count >= NOISY_MESSAGES && count > NOISY_SHARE * all));
}

/**
 * Chooses the waiting messages that are delivered next. As in the fair queues of SQS, these are the ones of quiet groups, in their order,
 * and, when none waits, those of the noisy group with the fewest messages in flight.
 * @param quietOnly chooses no message of a noisy group, even when no other message waits
 * @returns positions in `waiting`, at most `max`
 */
export function nextMessages(
  waiting: readonly Grouped[],
  noisy: ReadonlyMap<string, number>,
  max: number,
  quietOnly: boolean,
): readonly number[] {
  const first = (isChosen: (group: string | undefined) => boolean): readonly number[] => {
    const positions: number[] = [];
    for (let index = 0; index < waiting.length && positions.length < max; index++) {
      if (isChosen(waiting[index]?.messageGroupId)) positions.push(index);
    }
    return positions;
  };
  const quiet = first((group) => group === undefined || !noisy.has(group));
  if (quiet.length > 0 || quietOnly) return quiet;
  const inFlight = (group: string | undefined) => noisy.get(group ?? '') ?? 0;
  const groups = new Set(waiting.map(({ messageGroupId }) => messageGroupId));
  const [next] = [...groups].sort((one, other) => inFlight(one) - inFlight(other));
  return first((group) => group === next);
}
