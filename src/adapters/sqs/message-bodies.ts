import type { DeliveryMessage } from '../../contract/queues.ts';
import { messageText } from '../message-text.ts';

/**
 * Writes the bodies of messages that share envelopes. Fifty Actions may receive the same envelope of a megabyte, so each envelope is
 * converted to text once. A body is assembled when it is sent; it is the same text as messageText of the message.
 */
export function messageBodies() {
  const envelopes = new Map<DeliveryMessage['envelope'], { readonly text: string; readonly bytes: number }>();
  const written = ({ envelope }: DeliveryMessage) => {
    let known = envelopes.get(envelope);
    if (known === undefined) {
      const text = messageText(envelope);
      known = { text, bytes: Buffer.byteLength(text) };
      envelopes.set(envelope, known);
    }
    return known;
  };
  const around = ({ envelope: _, ...rest }: DeliveryMessage) => messageText(rest).slice(0, -1);
  return {
    /** @throws Error when the message cannot be written as JSON, for example because it is nested too deeply */
    text: (message: DeliveryMessage): string => `${around(message)},"envelope":${written(message).text}}`,
    /** @throws as `text` */
    bytes: (message: DeliveryMessage): number =>
      Buffer.byteLength(around(message)) + ',"envelope":}'.length + written(message).bytes,
  };
}
