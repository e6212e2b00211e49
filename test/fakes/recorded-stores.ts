import { AUDIT_PER_PAGE } from '../../src/contract/limits.ts';
import type { AuditRecord, Membership } from '../../src/contract/members.ts';
import { auditRecord, type Mutation } from '../../src/domain/organizations/audit.ts';
import {
  type Creation,
  type CreationKey,
  CreationTaken,
  type RecordedStores,
} from '../../src/domain/organizations/recorded-changes.ts';
import type { ConfigurationStore } from '../../src/domain/organizations/store.ts';
import type { Clock } from '../../src/domain/sources.ts';
import type { InMemoryConfigurationStore } from './configuration-store.ts';

/** Records every change to an in-memory configuration, as the real store does in one transaction. */
export class InMemoryRecordedStores implements RecordedStores {
  readonly records: AuditRecord[] = [];
  readonly creations = new Map<string, Creation>();
  readonly #store: InMemoryConfigurationStore;
  readonly #now: Clock;

  constructor(store: InMemoryConfigurationStore, now: Clock) {
    this.#store = store;
    this.#now = now;
  }

  readonly findCreation = async (key: CreationKey) => this.creations.get(JSON.stringify(key));

  readonly auditPage: RecordedStores['auditPage'] = async (orgId, after = '0') => {
    const records = this.records.filter((record) => record.org_id === orgId).toReversed();
    const end = Number(after) + AUDIT_PER_PAGE;
    return { records: records.slice(Number(after), end), next: end < records.length ? String(end) : undefined };
  };

  readonly recorded: RecordedStores['recorded'] = (by, creation): ConfigurationStore => {
    const store = this.#store;
    const write = <T>(mutation: Mutation, result: T, done: boolean): T => {
      if (done) this.#write(by, mutation, creation);
      return result;
    };
    const free = () => {
      if (creation !== undefined && this.creations.has(JSON.stringify(creation.key))) throw new CreationTaken();
    };
    return {
      ...store,
      createAssistant: async (next, limit) => {
        free();
        // Both writes happen in the same turn of the event loop, as in one transaction.
        const created = store.createAssistant(next, limit);
        return write({ entity: 'assistant', next }, created, store.assistants.has(next.site_id));
      },
      replaceAssistant: async (previous, next) => {
        const done = await store.replaceAssistant(previous, next);
        return write({ entity: 'assistant', previous, next }, done, done);
      },
      createAction: async (next) => {
        free();
        const outcome = await store.createAction(next);
        return write({ entity: 'action', next }, outcome, outcome === 'created');
      },
      replaceAction: async (previous, next) => {
        const outcome = await store.replaceAction(previous, next);
        return write({ entity: 'action', previous, next }, outcome, outcome === 'replaced');
      },
      deleteAction: async (previous) => {
        const done = await store.deleteAction(previous);
        return write({ entity: 'action', previous }, done, done);
      },
    };
  };

  #write(
    by: Membership,
    mutation: Mutation,
    creation: { readonly key: CreationKey; readonly fingerprint: string } | undefined,
  ) {
    const record = auditRecord(mutation, by, this.#now());
    this.records.push(record);
    if (creation === undefined) return;
    const { key, fingerprint } = creation;
    this.creations.set(JSON.stringify(key), { fingerprint, entity_id: record.entity_id });
  }
}
