import type { DeliveryMessage } from '../../contract/queues.ts';
import { type AttemptDeliveryPorts, type AttemptSummary, attemptDelivery } from './attempt-delivery.ts';
import { type WatchEndpointPorts, watchEndpoint } from './failing-endpoint.ts';

export type AttemptAndWatchPorts = AttemptDeliveryPorts &
  WatchEndpointPorts & {
    /** Called once for each message after its attempt is recorded. */
    readonly attempted: (message: DeliveryMessage, summary: AttemptSummary) => void;
    /** Called when the check for a failing endpoint failed. */
    readonly watchFailed: (cause: unknown) => void;
  };

/**
 * Handles one message of the deliveries queue: makes its attempt, and then checks whether its endpoint keeps failing. The attempt is
 * already recorded at that time, so an error of the check is only reported and the message is not delivered again.
 * @throws the errors of attemptDelivery
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
