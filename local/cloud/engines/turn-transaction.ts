import type { DatabaseSync } from 'node:sqlite';

/** Puts all writes of one turn of the event loop into one transaction: a commit costs more than the writes. */
export class TurnTransaction {
  readonly #database: DatabaseSync;
  #open: (PromiseWithResolvers<void> & { readonly immediate: NodeJS.Immediate }) | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Writes now, and commits when this turn is over. */
  write(change: () => unknown): void {
    this.#open ??= this.#begin();
    change();
  }

  /** Resolves when everything written so far is committed. @throws what SQLite says when it cannot be */
  async done(): Promise<void> {
    await this.#open?.promise;
  }

  /** Commits now. */
  end(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    clearImmediate(open.immediate);
    try {
      this.#database.exec('COMMIT');
      open.resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      open.reject(error);
    }
  }

  #begin() {
    this.#database.exec('BEGIN');
    const open = { ...Promise.withResolvers<void>(), immediate: setImmediate(() => this.end()) };
    // Who waits for it hears of it.
    open.promise.catch(() => {});
    return open;
  }
}
