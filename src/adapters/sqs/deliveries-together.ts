import type { DeliveryMessage } from '../../contract/queues.ts';
import type { deliveriesQueue, Sent } from './deliveries-queue.ts';

/** How long the deliveries of one event wait for those of others, in milliseconds: no slow read of another organization's holds them up. */
const PATIENCE_MS = 500;

type Waiting = {
  readonly messages: readonly DeliveryMessage[];
  readonly sent: (result: Sent) => void;
  readonly failed: (cause: unknown) => void;
};

/**
 * Sends the deliveries of the events that a function routes side by side in one call, or few (SQS bills calls). They leave when each event that
 * was announced has asked or ended, or 500 ms after the first one asked.
 */
export function deliveriesTogether({ sendTogether }: Pick<ReturnType<typeof deliveriesQueue>, 'sendTogether'>) {
  /** Events that have neither asked nor ended. */
  let open = 0;
  let waiting: readonly Waiting[] = [];
  let patience: NodeJS.Timeout | undefined;

  const leave = async (): Promise<void> => {
    clearTimeout(patience);
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
    /** Sends all messages of an event, or throws. Those that no SQS message can hold are returned. */
    send: async (messages: readonly DeliveryMessage[]): Promise<Sent> => {
      const result = new Promise<Sent>((sent, failed) => {
        if (waiting.length === 0) patience = setTimeout(leave, PATIENCE_MS);
        waiting = [...waiting, { messages, sent, failed }];
      });
      oneLess();
      return result.finally(() => {
        open += 1;
      });
    },
    /** So many events are about to be routed. */
    announce: (count: number): void => {
      open += count;
    },
    /** One of them is dealt with, whether it had anything to send or not. */
    ended: oneLess,
  };
}
