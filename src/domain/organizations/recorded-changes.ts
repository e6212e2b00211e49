import type { AuditRecord, Membership } from '../../contract/members.ts';
import type { ConfigurationStore } from './store.ts';

/** The creation that is stored under an idempotency key. */
export type Creation = {
  /** SHA-256 (hex) of the request. */
  readonly fingerprint: string;
  /** Id of the created object. */
  readonly entity_id: string;
};

export type CreationKey = { readonly orgId: string; readonly sub: string; readonly key: string };

/** Thrown by the store when a concurrent request has used the same idempotency key. */
export class CreationTaken extends Error {
  override readonly name = 'CreationTaken';
}

export type RecordedStores = {
  /**
   * Returns a store that writes each change together with its audit record, and a creation also with its idempotency key, in one
   * transaction.
   */
  readonly recorded: (
    by: Membership,
    creation?: { readonly key: CreationKey; readonly fingerprint: string },
  ) => ConfigurationStore;
  /** Returns the creation of this key in the last 24 hours. */
  readonly findCreation: (key: CreationKey) => Promise<Creation | undefined>;
  /** Returns one page of the audit trail, the newest record first. @param after the `next` of the page before */
  readonly auditPage: (
    orgId: string,
    after?: string,
  ) => Promise<{ readonly records: readonly AuditRecord[]; readonly next: string | undefined }>;
};
