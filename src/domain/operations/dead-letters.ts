import * as z from 'zod';
import { parseJson } from '../../contract/json.ts';

/** The two queues whose dead letters an operator can move back. */
export const REDRIVEN_QUEUES = ['events', 'deliveries'] as const;
export type RedrivenQueue = (typeof REDRIVEN_QUEUES)[number];

/** A message in a dead-letter queue, hidden from other readers for a while. */
export type DeadLetter = {
  /** Of the message that died first: a redrive keeps it, and with it the claim on the attempt. */
  readonly message_id: string;
  /** When it was sent first. ISO 8601, UTC. */
  readonly sent_at: string;
  readonly body: string;
  /** The group that it shares its queue's attention in (SQS fair queues). */
  readonly group: string | undefined;
  /** By which the queue knows it while it is hidden. */
  readonly receipt: string;
};

/** A dead-letter queue and the queue that it belongs to (adapters/sqs). */
export type DeadLetterQueue = {
  /** About how many there are, those that somebody is looking at included. */
  readonly count: () => Promise<number>;
  /** Some that nobody is looking at; none when there are no more. They stay hidden for five minutes. */
  readonly receive: () => Promise<readonly DeadLetter[]>;
  /** Lets others see them again. */
  readonly release: (deadLetters: readonly DeadLetter[]) => Promise<void>;
  /** Sends it to the queue again under its message id, then deletes it: whatever ends this in between, none is lost. */
  readonly moveBack: (deadLetter: DeadLetter) => Promise<void>;
};

/** What may be shown of a dead letter: names and ids, never the payload. */
export type DeadLetterSummary = {
  readonly message_id: string;
  readonly sent_at: string;
  /** Version of the message; null when it cannot be read. */
  readonly version: number | null;
  /** The event's name; null when the message cannot be read. */
  readonly event: string | null;
  readonly event_id: string | null;
  readonly org_id: string | null;
  /** Deliveries only. */
  readonly action_id?: string | null;
  readonly attempt?: number | null;
  /** Of the body, in UTF-8. */
  readonly bytes: number;
};

// Looser than the contract's own: what nobody could handle is what ends up here.
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
