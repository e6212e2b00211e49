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
type Names = Pick<DeadLetterSummary, 'version' | 'event' | 'event_id' | 'org_id'>;
const UNREADABLE: Names = { version: null, event: null, event_id: null, org_id: null };

const SUMMARIES = {
  events: z
    .object({
      id: word,
      'detail-type': word,
      detail: z.object({ org_id: word, version: z.number().catch(1) }).catch({ org_id: null, version: 1 }),
    })
    .transform(({ id, 'detail-type': event, detail }): Names => ({ ...detail, event, event_id: id }))
    .catch(UNREADABLE),
  deliveries: z
    .object({
      version: number,
      action_id: word,
      attempt: number,
      envelope: z.object({ id: word, event: word, org_id: word }).catch({ id: null, event: null, org_id: null }),
    })
    .transform(({ envelope: { id, event, org_id }, ...message }) => ({ ...message, event, event_id: id, org_id }))
    .catch({ ...UNREADABLE, action_id: null, attempt: null }),
} as const;

/** Returns the names and ids of a dead letter. Parts that cannot be read are null. */
export function deadLetterSummary(queue: RedrivenQueue, deadLetter: DeadLetter): DeadLetterSummary {
  const { message_id, sent_at, body } = deadLetter;
  const summary = SUMMARIES[queue].parse(jsonOrUndefined(body));
  return { message_id, sent_at, bytes: Buffer.byteLength(body), ...summary };
}

function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
