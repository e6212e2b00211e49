import type { DeadLetter, DeadLetterQueue } from '../../src/domain/operations/dead-letters.ts';

/** A dead-letter queue in memory, which hands out two at a time. `diesAgain` names messages that are back at once. */
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
    const page = this.waiting.filter((letter) => !this.hidden.has(letter)).slice(0, 2);
    for (const letter of page) this.hidden.add(letter);
    return page;
  };

  readonly release = async (letters: readonly DeadLetter[]) => {
    for (const letter of letters) this.hidden.delete(letter);
  };

  readonly moveBack = async (letter: DeadLetter) => {
    this.movedBack.push(letter);
    this.waiting.splice(this.waiting.indexOf(letter), 1);
    this.hidden.delete(letter);
    if (this.diesAgain.has(letter.message_id)) this.waiting.push({ ...letter });
  };
}
