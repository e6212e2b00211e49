/**
 * From when on SQS calls a message group noisy, as AWS publishes it: "the tenant accounts for more than 10% of in-flight messages in the queue
 * and has at least 30 of its own messages in flight", or its "recent share of total consumer processing time exceeds 10%"
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html). A group stops being noisy when its
 * "backlog has been fully consumed", or when none of its messages was in flight "for a continuous period of 5 minutes". The local cloud
 * has only the messages in flight as a measure, because AWS does not say how long "recent" is; `quietAfterSeconds` is for bench/simulation.
 */
export const NOISY = { messages: 30, share: 0.1, quietAfterSeconds: 300 } as const;

type Grouped = { readonly messageGroupId?: string | undefined };

/** Returns the noisy groups with the number of their messages in flight. A message without a group is never noisy. */
export function noisyGroups(inFlight: Iterable<Grouped>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { messageGroupId } of inFlight) {
    all += 1;
    if (messageGroupId !== undefined) counts.set(messageGroupId, (counts.get(messageGroupId) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count >= NOISY.messages && count > NOISY.share * all));
}

/**
 * Chooses the waiting messages that are delivered next. As in the fair queues of SQS, these are the ones of quiet groups, in their order,
 * and, when none waits, those of the noisy group with the fewest messages in flight.
 * @param quietOnly chooses no message of a noisy group, even when no other message waits
 * @returns positions in `waiting`, at most `max`
 */
export function nextMessages(
  waitingMessages: readonly Grouped[],
  noisy: ReadonlyMap<string, number>,
  max: number,
  quietOnly: boolean,
): readonly number[] {
  const first = (isChosen: (group: string) => boolean): readonly number[] => {
    const positions: number[] = [];
    for (let index = 0; index < waitingMessages.length && positions.length < max; index++) {
      if (isChosen(waitingMessages[index]?.messageGroupId ?? '')) positions.push(index);
    }
    return positions;
  };
  const quiet = first((group) => !noisy.has(group));
  if (quiet.length > 0 || quietOnly) return quiet;
  const groups = new Set(waitingMessages.map(({ messageGroupId = '' }) => messageGroupId));
  const [next] = [...groups].sort((one, other) => (noisy.get(one) ?? 0) - (noisy.get(other) ?? 0));
  return first((group) => group === next);
}
