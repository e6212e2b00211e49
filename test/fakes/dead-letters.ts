import type { DeadLetter, DeadLetterQueue } from '../../src/domain/operations/dead-letters.ts';

/** An in-memory dead-letter queue that returns two messages per call. Messages in `diesAgain` return to it immediately. */
export class InMemoryDeadLetters implements DeadLetterQueue {
  readonly waiting: DeadLetter[] = [];
  readonly hidden = new Set<DeadLetter>();
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
    const page = this.waiting.filter((deadLetter) => !this.hidden.has(deadLetter)).slice(0, 2);
    for (const deadLetter of page) this.hidden.add(deadLetter);
    return page;
  };

  readonly release = async (deadLetters: readonly DeadLetter[]) => {
    for (const deadLetter of deadLetters) this.hidden.delete(deadLetter);
  };

  readonly moveBack = async (deadLetter: DeadLetter) => {
    this.movedBack.push(deadLetter);
    this.waiting.splice(this.waiting.indexOf(deadLetter), 1);
    this.hidden.delete(deadLetter);
    if (this.diesAgain.has(deadLetter.message_id)) this.waiting.push({ ...deadLetter });
  };
}
