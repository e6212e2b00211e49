import type { DeliveryMessage } from '../../contract/queues.ts';
import { type AttemptDeliveryPorts, type AttemptSummary, attemptDelivery } from './attempt-delivery.ts';
import { type WatchEndpointPorts, watchEndpoint } from './failing-endpoint.ts';

export type AttemptAndWatchPorts = AttemptDeliveryPorts &
  WatchEndpointPorts & {
    /** Told of every message that was dealt with. */
    readonly attempted: (message: DeliveryMessage, summary: AttemptSummary) => void;
    readonly watchFailed: (cause: unknown) => void;
  };

/**
 * Deals with one message of the deliveries queue: makes its attempt, and watches whether its endpoint goes on failing. The attempt is
 * on record by then: what goes wrong with watching is reported, and no reason to hand the message out again.
 * @throws as attemptDelivery does
 */
export async function attemptAndWatch(
  message: DeliveryMessage,
  messageId: string,
  ports: AttemptAndWatchPorts,
): Promise<void> {
  const summary = await attemptDelivery(message, messageId, ports);
  ports.attempted(message, summary);
  if (summary.result !== null) await watchEndpoint(message, summary.result, ports).catch(ports.watchFailed);
}
