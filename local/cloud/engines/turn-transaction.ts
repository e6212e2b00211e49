import type { DatabaseSync } from 'node:sqlite';

/** Puts all writes of one turn of the event loop into one transaction: a commit costs more than the writes. */
export class TurnTransaction {
  readonly #database: DatabaseSync;
  #committed: Promise<void> | undefined;
  #commit: (() => void) | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Writes now, and commits when this turn is over. */
  write(change: () => unknown): void {
    if (this.#commit === undefined) this.#begin();
    change();
  }

  /** Resolves when everything written so far is committed. @throws what SQLite says when it cannot be */
  done(): Promise<void> {
    return this.#committed ?? Promise.resolve();
  }

  /** Commits now. */
  end(): void {
    this.#commit?.();
  }

  #begin(): void {
    this.#database.exec('BEGIN');
    const committed = new Promise<void>((resolve, reject) => {
      const commit = (): void => {
        clearImmediate(immediate);
        this.#commit = undefined;
        this.#committed = undefined;
        try {
          this.#database.exec('COMMIT');
          resolve();
        } catch (error) {
          if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
          reject(error);
        }
      };
      const immediate = setImmediate(commit);
      this.#commit = commit;
    });
    // Who waits for it hears of it.
    committed.catch(() => {});
    this.#committed = committed;
  }
}
