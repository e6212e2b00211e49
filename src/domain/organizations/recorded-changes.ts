import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { Membership } from '../../contract/members.ts';
import type { ConfigurationStore } from './store.ts';

/** A creation as its idempotency key remembers it. */
export type Creation = {
  /** SHA-256 (hex) of what was asked for. */
  readonly fingerprint: string;
  /** Of what was created. */
  readonly entity_id: string;
};

export type CreationKey = { readonly orgId: string; readonly sub: string; readonly key: string };

/** Thrown by the store when another request with the same idempotency key was faster. */
export class CreationTaken extends Error {
  override readonly name = 'CreationTaken';
}

export type RecordedStores = {
  /**
   * A store whose changes are written together with their audit record, and a creation with its idempotency key: all of it
   * or nothing.
   */
  readonly recorded: (
    by: Membership,
    creation?: { readonly key: CreationKey; readonly fingerprint: string },
  ) => ConfigurationStore;
  /** What a key created in the last 24 hours. */
  readonly findCreation: (key: CreationKey) => Promise<Creation | undefined>;
};

/** A save of a version that is not the current one: refused with what stands there now. */
export class StaleVersion extends Error {
  override readonly name = 'StaleVersion';
  readonly current: Assistant | Action;

  constructor(current: Assistant | Action) {
    const what = 'action_id' in current ? 'Action' : 'assistant';
    super(`version: the ${what} was changed in the meantime; it is now at version ${current.version}`);
    this.current = current;
  }
}
