import type { DeliveryMessage } from '../../contract/queues.ts';
import type { deliveriesQueue, Sent } from './deliveries-queue.ts';

/** Milliseconds that the deliveries of one event wait at most for those of others, so that a slow event does not delay them. */
const WAIT_MAX_MS = 500;

type Waiting = {
  readonly messages: readonly DeliveryMessage[];
  readonly sent: (result: Sent) => void;
  readonly failed: (cause: unknown) => void;
};

/**
 * Sends the deliveries of all events that an invocation routes in one call, or in few, because SQS bills calls. Sends when each
 * announced event has called `send` or has ended, at the latest 500 ms after the first call of `send`.
 */
export function deliveriesTogether({ sendTogether }: Pick<ReturnType<typeof deliveriesQueue>, 'sendTogether'>) {
  /** Number of announced events that have neither called `send` nor ended. */
  let open = 0;
  let waiting: readonly Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  const leave = async (): Promise<void> => {
    clearTimeout(timer);
    const together = waiting;
    waiting = [];
    const outcomes = await sendTogether(together.map(({ messages }) => messages));
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') together[index]?.sent(outcome.value);
      else together[index]?.failed(outcome.reason);
    }
  };
  const oneLess = () => {
    open -= 1;
    if (open <= 0 && waiting.length > 0) void leave();
  };

  return {
    /** Sends all messages of an event. Returns those that are too large for SQS. @throws Error when a message could not be sent */
    send: async (messages: readonly DeliveryMessage[]): Promise<Sent> => {
      const result = new Promise<Sent>((sent, failed) => {
        if (waiting.length === 0) timer = setTimeout(leave, WAIT_MAX_MS);
        waiting = [...waiting, { messages, sent, failed }];
      });
      oneLess();
      return result.finally(() => {
        open += 1;
      });
    },
    /** Announces the number of events that the invocation will route. */
    announce: (count: number): void => {
      open += count;
    },
    /** Says that the routing of one event has ended, with or without deliveries. */
    ended: oneLess,
  };
}
