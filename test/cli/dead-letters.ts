import type { Deployment } from '../../cli/deployment.ts';

type DeadLetterQueue = ReturnType<Deployment['deadLetters']>;
type DeadLetter = Awaited<ReturnType<DeadLetterQueue['receive']>>[number];

/** An in-memory dead-letter queue that returns two messages per call. Messages in `diesAgain` return to it immediately. */
export class InMemoryDeadLetters implements DeadLetterQueue {
  readonly waiting: DeadLetter[] = [];
  /** Receipts of the messages that were received and not released. */
  readonly hidden = new Set<string>();
  readonly movedBack: DeadLetter[] = [];
  readonly diesAgain = new Set<string>();

  /** Adds a message with this body. */
  add(message_id: string, body: object | string): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent_at = '2026-03-04T05:06:07.250Z';
    this.waiting.push({ message_id, sent_at, body: text, group: undefined, receipt: `receipt of ${message_id}` });
  }

  readonly count = async () => this.waiting.length;

  readonly receive = async () => {
    const page = this.waiting.filter(({ receipt }) => !this.hidden.has(receipt)).slice(0, 2);
    for (const { receipt } of page) this.hidden.add(receipt);
    return page;
  };

  readonly release: DeadLetterQueue['release'] = async (deadLetters) => {
    for (const { receipt } of deadLetters) this.hidden.delete(receipt);
  };

  readonly moveBack: DeadLetterQueue['moveBack'] = async ({ message_id, receipt }) => {
    const [deadLetter] = this.waiting.splice(
      this.waiting.findIndex((one) => one.receipt === receipt),
      1,
    );
    if (deadLetter === undefined) return;
    this.movedBack.push(deadLetter);
    this.hidden.delete(receipt);
    if (this.diesAgain.has(message_id)) this.waiting.push(deadLetter);
  };
}
