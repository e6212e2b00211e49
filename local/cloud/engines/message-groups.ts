/** A group with this many messages in flight is noisy. A function receives as many in one batch. */
const NOISY_FROM = 10;

/** A group remains slow for this time after its last slow message, in milliseconds. The next messages are probably slow too. */
const SLOW_FOR_MS = 5000;

/**
 * A slow group has at most this many batches of its own at once, and a second one only when a full batch waits, so that it occupies few
 * execution environments. Mixed batches do not count: the slow messages in them may be those of another group.
 */
const BATCHES_OF_A_SLOW_GROUP = 3;

type Grouped = { readonly messageGroupId?: string | undefined };

export type InFlight = Grouped & {
  /** Number of the batch in which the message was delivered. */
  readonly batch: number;
  /** True when the message takes long. */
  readonly slow: boolean;
};

/** The message groups that do not wait for their turn like the others. */
export type Groups = {
  /** Groups with many messages in flight. */
  readonly noisy: ReadonlySet<string>;
  /** Groups with messages that take long, and the number of batches with messages of this group only. */
  readonly slow: ReadonlyMap<string, number>;
};

export type NextOptions = {
  /** Chooses no message of a noisy or slow group, even when no other message waits. */
  readonly quietOnly: boolean;
  /** Is called when messages of a slow group are next. False leaves them in the queue. */
  readonly maySlow: () => boolean;
};

/** Finds the groups that are noisy or slow. Messages without a group are neither. */
export class GroupWatch {
  /** When each group last had a slow message. */
  readonly #slowAt = new Map<string, number>();

  /** @param nowMs milliseconds of a clock that is never set back */
  look(inFlight: Iterable<InFlight>, nowMs: number): Groups {
    const counts = new Map<string, number>();
    const batches = new Map<number, Set<string | undefined>>();
    for (const { messageGroupId, batch, slow } of inFlight) {
      batches.set(batch, (batches.get(batch) ?? new Set()).add(messageGroupId));
      if (messageGroupId === undefined) continue;
      counts.set(messageGroupId, (counts.get(messageGroupId) ?? 0) + 1);
      if (slow) this.#slowAt.set(messageGroupId, nowMs);
    }
    const ownBatches = [...batches.values()].filter(({ size }) => size === 1);
    for (const [group, at] of this.#slowAt) if (nowMs - at >= SLOW_FOR_MS) this.#slowAt.delete(group);
    return {
      noisy: new Set([...counts].filter(([, count]) => count >= NOISY_FROM).map(([group]) => group)),
      slow: new Map(
        [...this.#slowAt.keys()].map((group) => [group, ownBatches.filter((groups) => groups.has(group)).length]),
      ),
    };
  }
}

/**
 * Chooses the waiting messages that are delivered next. Like the fair queues of SQS, it first chooses those of quiet groups, in their
 * order, and never mixes them with those of a noisy group, so that a quiet group does not wait for a noisy group's endpoints. Messages of a
 * slow group have a batch of their own, because the other messages of a batch remain in flight until its slowest one has ended.
 * @returns positions in `waiting`, at most `max`
 */
export function nextMessages(
  waiting: readonly Grouped[],
  { noisy, slow }: Groups,
  max: number,
  { quietOnly, maySlow }: NextOptions,
): readonly number[] {
  const first = (isChosen: (group: string | undefined) => boolean): readonly number[] => {
    const positions: number[] = [];
    for (let index = 0; index < waiting.length && positions.length < max; index++) {
      if (isChosen(waiting[index]?.messageGroupId)) positions.push(index);
    }
    return positions;
  };
  const isSlow = (group: string | undefined) => group !== undefined && slow.has(group);
  const quiet = first((group) => !isSlow(group) && (group === undefined || !noisy.has(group)));
  if (quiet.length > 0 || quietOnly) return quiet;
  const ofGroup = (group: string | undefined) => first((one) => one === group);
  const mayHaveBatch = (group: string, batches: number) =>
    batches === 0 || (batches < BATCHES_OF_A_SLOW_GROUP && ofGroup(group).length === max);
  const full = new Set([...slow].filter(([group, batches]) => !mayHaveBatch(group, batches)).map(([group]) => group));
  const next = waiting.find(({ messageGroupId: group }) => group === undefined || !full.has(group))?.messageGroupId;
  return isSlow(next) && maySlow() ? ofGroup(next) : first((group) => !isSlow(group));
}
