import * as z from 'zod';
import { parseJson } from '../../contract/json.ts';

/** The two queues whose dead letters an operator can move back. */
export const REDRIVEN_QUEUES = ['events', 'deliveries'] as const;
export type RedrivenQueue = (typeof REDRIVEN_QUEUES)[number];

/** A message that was received from a dead-letter queue. It is invisible to other readers for five minutes. */
export type DeadLetter = {
  /** Id of the message that first became a dead letter. A redrive keeps it, so that the claim on the attempt stays valid. */
  readonly message_id: string;
  /** When the message was sent. ISO 8601, UTC. */
  readonly sent_at: string;
  readonly body: string;
  /** Message group id (SQS fair queues). */
  readonly group: string | undefined;
  /** Receipt handle, which identifies the message while it is invisible. */
  readonly receipt: string;
};

/** A dead-letter queue and the queue that it belongs to (adapters/sqs). */
export type DeadLetterQueue = {
  /** Returns the approximate number of messages, including the invisible ones. */
  readonly count: () => Promise<number>;
  /** Receives some visible messages, or none when there are no more. They stay invisible for five minutes. */
  readonly receive: () => Promise<readonly DeadLetter[]>;
  /** Makes the messages visible again. */
  readonly release: (deadLetters: readonly DeadLetter[]) => Promise<void>;
  /** Sends the message to its queue with its original id, then deletes it. An interruption in between loses no message. */
  readonly moveBack: (deadLetter: DeadLetter) => Promise<void>;
};

/** The part of a dead letter that may be shown: names and ids, never the payload. */
export type DeadLetterSummary = {
  readonly message_id: string;
  readonly sent_at: string;
  /** Version of the message; null when the message cannot be read. */
  readonly version: number | null;
  /** Name of the event; null when the message cannot be read. */
  readonly event: string | null;
  readonly event_id: string | null;
  readonly org_id: string | null;
  /** Deliveries only. */
  readonly action_id?: string | null;
  readonly attempt?: number | null;
  /** Size of the body in UTF-8. */
  readonly bytes: number;
};

// Looser than the contract's schemas, because a malformed message also becomes a dead letter.
const word = z.string().nullable().catch(null);
const number = z.number().nullable().catch(null);
const deadEvent = z.object({
  id: word,
  'detail-type': word,
  detail: z.object({ org_id: word, version: number }).catch({ org_id: null, version: null }),
});
const deadDelivery = z.object({
  version: number,
  action_id: word,
  attempt: number,
  envelope: z.object({ id: word, event: word, org_id: word }).catch({ id: null, event: null, org_id: null }),
});

/** Returns the names and ids of a dead letter. Parts that cannot be read are null. */
export function deadLetterSummary(queue: RedrivenQueue, deadLetter: DeadLetter): DeadLetterSummary {
  const { message_id, sent_at, body } = deadLetter;
  const common = { message_id, sent_at, bytes: Buffer.byteLength(body) };
  const json = jsonOrUndefined(body);
  if (queue === 'events') {
    const event = deadEvent.safeParse(json).data;
    return {
      ...common,
      version: event === undefined ? null : (event.detail.version ?? 1),
      event: event?.['detail-type'] ?? null,
      event_id: event?.id ?? null,
      org_id: event?.detail.org_id ?? null,
    };
  }
  const delivery = deadDelivery.safeParse(json).data;
  return {
    ...common,
    version: delivery?.version ?? null,
    event: delivery?.envelope.event ?? null,
    event_id: delivery?.envelope.id ?? null,
    org_id: delivery?.envelope.org_id ?? null,
    action_id: delivery?.action_id ?? null,
    attempt: delivery?.attempt ?? null,
  };
}

function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
