import type { DatabaseSync } from 'node:sqlite';
import type { BuildAppOptions } from 'fauxqs';

/** The stores in which fauxqs keeps queues and topics in memory. */
type FauxqsStores = NonNullable<BuildAppOptions['stores']>;
type SqsStore = FauxqsStores['sqsStore'];
export type FauxqsQueue = ReturnType<SqsStore['createQueue']>;
export type SqsMessage = Parameters<FauxqsQueue['enqueue']>[0];

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
  readonly PersistenceManager: new (
    folder: string,
  ) => {
    readonly db: DatabaseSync;
    loadSqsAndSns(sqs: SqsStore, sns: FauxqsStores['snsStore']): void;
    transaction(work: () => void): void;
    close(): void;
  };
};

/** Loads one of them. @param file below fauxqs's own folder */
async function load<Name extends keyof Internals>(file: string, name: Name): Promise<Internals[Name]> {
  const module: Pick<Internals, Name> = await import(new URL(file, import.meta.resolve('fauxqs')).href);
  return module[name];
}

/**
 * Opens queues and topics that survive a restart. fauxqs offers this only through `startFauxqs`, which listens on every interface. So
 * this function builds the stores as `startFauxqs` (2.4.1) does.
 *
 * A transaction does not wait for the disk: acknowledged changes survive every end of the process, and a power failure may lose the last
 * seconds. The messages in flight at the end are visible again at the next start.
 */
export async function openFauxqs(folder: string) {
  const SqsStore = await load('./sqs/sqsStore.js', 'SqsStore');
  const stores = {
    sqsStore: new SqsStore(),
    snsStore: new (await load('./sns/snsStore.js', 'SnsStore'))(),
    s3Store: new (await load('./s3/s3Store.js', 'S3Store'))(),
  };
  const persistence = new (await load('./persistence.js', 'PersistenceManager'))(folder);
  const { db } = persistence;
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000');
  db.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  // fauxqs's own method breaks its schema. A message that is visible again needs no change: the next start reads every message as visible.
  Object.assign(persistence, { updateMessageReady: () => {} });
  for (const keeper of [stores.sqsStore, stores.snsStore, ...stores.sqsStore.allQueues()]) {
    Object.assign(keeper, { persistence });
  }
  return {
    stores,
    createMessage: SqsStore.createMessage,
    /** Makes all changes of a work one transaction. @throws what SQLite says when they cannot be kept */
    transaction: (work: () => void): void => persistence.transaction(work),
    close: (): void => persistence.close(),
  };
}
