import type { BuildAppOptions } from 'fauxqs';

/** What holds fauxqs's queues and topics in memory. */
export type FauxqsStores = NonNullable<BuildAppOptions['stores']>;
type SqsStore = FauxqsStores['sqsStore'];
export type SqsMessage = Parameters<ReturnType<SqsStore['createQueue']>['enqueue']>[0];

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
    loadSqsAndSns(sqs: SqsStore, sns: FauxqsStores['snsStore']): void;
    updateMessageReady(messageId: string): void;
    deleteMessage(messageId: string): void;
    close(): void;
  };
};

export type FauxqsState = {
  readonly stores: FauxqsStores;
  readonly createMessage: Internals['SqsStore']['createMessage'];
  deleteMessage(messageId: string): void;
  close(): void;
};

/**
 * Opens queues and topics that survive a restart. fauxqs offers this through `startFauxqs` only, which listens on every
 * interface; so its stores are put together here, as `startFauxqs` does it (2.4.1).
 */
export async function openFauxqsState(folder: string): Promise<FauxqsState> {
  const { SqsStore, SnsStore, S3Store, PersistenceManager } = await internals();
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = new PersistenceManager(folder);
  // It writes null into a column that refuses null, and with that fails ChangeMessageVisibility with 0 seconds. Unwritten,
  // such a message is merely invisible until its earlier deadline if we restart in between.
  persistence.updateMessageReady = () => {};
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  Object.assign(stores.sqsStore, { persistence });
  Object.assign(stores.snsStore, { persistence });
  for (const queue of stores.sqsStore.allQueues()) Object.assign(queue, { persistence });
  return {
    stores,
    createMessage: SqsStore.createMessage,
    deleteMessage: (messageId) => persistence.deleteMessage(messageId),
    close: () => persistence.close(),
  };
}

async function internals(): Promise<Internals> {
  const root = import.meta.resolve('fauxqs');
  const load = async <K extends keyof Internals>(file: string, name: K): Promise<Internals[K]> => {
    const module: Pick<Internals, K> = await import(new URL(file, root).href);
    return module[name];
  };
  const [SqsStore, SnsStore, S3Store, PersistenceManager] = await Promise.all([
    load('./sqs/sqsStore.js', 'SqsStore'),
    load('./sns/snsStore.js', 'SnsStore'),
    load('./s3/s3Store.js', 'S3Store'),
    load('./persistence.js', 'PersistenceManager'),
  ]);
  return { SqsStore, SnsStore, S3Store, PersistenceManager };
}
