import type { DatabaseSync } from 'node:sqlite';
import type { BuildAppOptions } from 'fauxqs';
import type { JsonObject } from '../json.ts';
import { TurnTransaction } from './turn-transaction.ts';

/** The stores in which fauxqs keeps queues and topics in memory. */
export type FauxqsStores = NonNullable<BuildAppOptions['stores']>;
type SqsStore = FauxqsStores['sqsStore'];
export type FauxqsQueue = ReturnType<SqsStore['createQueue']>;
export type SqsMessage = Parameters<FauxqsQueue['enqueue']>[0];

/** One call of SQS as fauxqs itself answers it. @throws an error with a `code` as SQS would name it */
export type FauxqsAction = (parameters: JsonObject, store: SqsStore) => object | Promise<object>;

/** The parts of fauxqs's own classes that are used here. */
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
    insertMessage(queueName: string, message: SqsMessage): void;
    updateMessageInflight(messageId: string, handle: string, deadline: number, receives: number, first?: number): void;
    updateMessageReady(messageId: string): void;
    deleteMessage(messageId: string): void;
    close(): void;
  };
  readonly receiveMessage: FauxqsAction;
  readonly deleteMessage: FauxqsAction;
  readonly deleteMessageBatch: FauxqsAction;
  readonly changeMessageVisibility: FauxqsAction;
  readonly changeMessageVisibilityBatch: FauxqsAction;
};

export type FauxqsState = {
  readonly stores: FauxqsStores;
  readonly createMessage: Internals['SqsStore']['createMessage'];
  /** Calls that are worth the way around fauxqs's HTTP server, by the names that SQS gives them. */
  readonly actions: Readonly<Record<string, FauxqsAction>>;
  deleteMessage(messageId: string): void;
  /** Resolves when everything that was changed so far outlives this process. @throws what SQLite says when it cannot be kept */
  kept(): Promise<void>;
  close(): void;
};

/**
 * Opens queues and topics that survive a restart. fauxqs offers this only through `startFauxqs`, which listens on every interface. So
 * this function builds the stores as `startFauxqs` (2.4.1) does, and writes them differently (`writeInTurns`).
 */
export async function openFauxqsState(folder: string): Promise<FauxqsState> {
  const { SqsStore, SnsStore, S3Store, PersistenceManager, ...actions } = await internals();
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = new PersistenceManager(folder);
  const transaction = writeInTurns(persistence);
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  for (const keeper of [stores.sqsStore, stores.snsStore, ...stores.sqsStore.allQueues()]) {
    Object.assign(keeper, { persistence });
  }
  return {
    stores,
    createMessage: SqsStore.createMessage,
    actions: {
      ReceiveMessage: actions.receiveMessage,
      DeleteMessage: actions.deleteMessage,
      DeleteMessageBatch: actions.deleteMessageBatch,
      ChangeMessageVisibility: actions.changeMessageVisibility,
      ChangeMessageVisibilityBatch: actions.changeMessageVisibilityBatch,
    },
    deleteMessage: (messageId) => persistence.deleteMessage(messageId),
    kept: () => transaction.done(),
    close: () => {
      transaction.end();
      persistence.close();
    },
  };
}

/**
 * Makes all changes of one turn of the event loop one transaction, which does not wait for the disk. Acknowledged changes survive every end
 * of the process. A power failure may lose the last seconds. The messages in flight are not recorded as such: at the next start they are
 * visible again.
 */
function writeInTurns(persistence: InstanceType<Internals['PersistenceManager']>): TurnTransaction {
  const { db, insertMessage, deleteMessage } = persistence;
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000');
  db.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  const setReceives = db.prepare(
    'UPDATE sqs_messages SET approximate_receive_count = ?, approximate_first_receive_timestamp = ? WHERE message_id = ?',
  );
  const transaction = new TurnTransaction(db);
  Object.assign(persistence, {
    insertMessage: (queueName: string, message: SqsMessage) =>
      transaction.write(() => insertMessage.call(persistence, queueName, message)),
    deleteMessage: (messageId: string) => transaction.write(() => deleteMessage.call(persistence, messageId)),
    // The first receive is not written. When the process ends after it, the message probably did not cause that.
    updateMessageInflight(messageId: string, _handle: string, _deadline: number, receives: number, first?: number) {
      if (receives > 1) transaction.write(() => setReceives.run(receives, first ?? null, messageId));
    },
    updateMessageReady() {},
  });
  return transaction;
}

async function internals(): Promise<Internals> {
  const root = import.meta.resolve('fauxqs');
  const load = async <K extends keyof Internals>(file: string, name: K): Promise<Internals[K]> => {
    const module: Pick<Internals, K> = await import(new URL(file, root).href);
    return module[name];
  };
  const action = <K extends keyof Internals>(name: K) => load(`./sqs/actions/${name}.js`, name);
  return {
    SqsStore: await load('./sqs/sqsStore.js', 'SqsStore'),
    SnsStore: await load('./sns/snsStore.js', 'SnsStore'),
    S3Store: await load('./s3/s3Store.js', 'S3Store'),
    PersistenceManager: await load('./persistence.js', 'PersistenceManager'),
    receiveMessage: await action('receiveMessage'),
    deleteMessage: await action('deleteMessage'),
    deleteMessageBatch: await action('deleteMessageBatch'),
    changeMessageVisibility: await action('changeMessageVisibility'),
    changeMessageVisibilityBatch: await action('changeMessageVisibilityBatch'),
  };
}
