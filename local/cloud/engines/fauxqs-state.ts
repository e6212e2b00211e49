import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { BuildAppOptions } from 'fauxqs';
import { TurnTransaction } from './turn-transaction.ts';

/** The stores in which fauxqs keeps queues and topics in memory. */
export type FauxqsStores = NonNullable<BuildAppOptions['stores']>;
type SqsStore = FauxqsStores['sqsStore'];
export type FauxqsQueue = ReturnType<SqsStore['createQueue']>;
export type SqsMessage = Parameters<FauxqsQueue['enqueue']>[0];

type Persistence = {
  readonly db: DatabaseSync;
  loadSqsAndSns(sqs: SqsStore, sns: FauxqsStores['snsStore']): void;
  insertMessage(queueName: string, message: SqsMessage): void;
  updateMessageInflight(messageId: string, handle: string, deadline: number, receives: number, first?: number): void;
  updateMessageReady(messageId: string): void;
  deleteMessage(messageId: string): void;
  close(): void;
};

/** The parts of fauxqs that are used here and that it does not export. */
type Internals = {
  readonly SqsStore: {
    new (): SqsStore;
    createMessage(
      body: string,
      attributes: SqsMessage['messageAttributes'],
      delaySeconds: number | undefined,
      groupId: string | undefined,
    ): SqsMessage;
  };
  readonly SnsStore: new () => FauxqsStores['snsStore'];
  readonly S3Store: new () => FauxqsStores['s3Store'];
  readonly PersistenceManager: new (folder: string) => Persistence;
};

/** Loads one of them. @param file below fauxqs's own folder */
async function load<Name extends keyof Internals>(file: string, name: Name): Promise<Internals[Name]> {
  const module: Pick<Internals, Name> = await import(new URL(file, import.meta.resolve('fauxqs')).href);
  return module[name];
}

export type FauxqsState = {
  readonly stores: FauxqsStores;
  readonly createMessage: Internals['SqsStore']['createMessage'];
  deleteMessage(messageId: string): void;
  /** Resolves when everything that was changed so far outlives this process. @throws what SQLite says when it cannot be kept */
  kept(): Promise<void>;
  close(): void;
};

/**
 * Opens queues and topics that survive a restart. fauxqs offers this only through `startFauxqs`, which listens on every interface. So
 * this function builds the stores as `startFauxqs` (2.4.1) does, and writes them differently (`writtenInTurns`).
 */
export async function openFauxqsState(folder: string): Promise<FauxqsState> {
  const SqsStore = await load('./sqs/sqsStore.js', 'SqsStore');
  const stores = {
    sqsStore: new SqsStore(),
    snsStore: new (await load('./sns/snsStore.js', 'SnsStore'))(),
    s3Store: new (await load('./s3/s3Store.js', 'S3Store'))(),
  };
  const persistence = new (writtenInTurns(await load('./persistence.js', 'PersistenceManager')))(folder);
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  for (const keeper of [stores.sqsStore, stores.snsStore, ...stores.sqsStore.allQueues()]) {
    Object.assign(keeper, { persistence });
  }
  return {
    stores,
    createMessage: SqsStore.createMessage,
    deleteMessage: (messageId) => persistence.deleteMessage(messageId),
    kept: () => persistence.turn.done(),
    close: () => persistence.close(),
  };
}

/**
 * Makes all changes of one turn of the event loop one transaction, which does not wait for the disk. Acknowledged changes survive every end
 * of the process. A power failure may lose the last seconds. The messages in flight are not recorded as such: at the next start they are
 * visible again.
 */
const writtenInTurns = (PersistenceManager: Internals['PersistenceManager']) =>
  class extends PersistenceManager {
    readonly turn: TurnTransaction;
    readonly #setReceives: StatementSync;

    constructor(folder: string) {
      super(folder);
      this.db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000');
      this.db.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
      this.#setReceives = this.db.prepare(
        'UPDATE sqs_messages SET approximate_receive_count = ?, approximate_first_receive_timestamp = ? WHERE message_id = ?',
      );
      this.turn = new TurnTransaction(this.db);
    }

    override insertMessage(queueName: string, message: SqsMessage): void {
      this.turn.write(() => super.insertMessage(queueName, message));
    }

    override deleteMessage(messageId: string): void {
      this.turn.write(() => super.deleteMessage(messageId));
    }

    /** The first receive is not written. When the process ends after it, the message probably did not cause that. */
    override updateMessageInflight(
      messageId: string,
      _handle: string,
      _deadline: number,
      receives: number,
      first?: number,
    ) {
      if (receives > 1) this.turn.write(() => this.#setReceives.run(receives, first ?? null, messageId));
    }

    override updateMessageReady(): void {}

    override close(): void {
      this.turn.end();
      super.close();
    }
  };
