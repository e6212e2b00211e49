import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { Membership } from '../../contract/members.ts';
import { Refusal } from '../refusal.ts';
import type { RecordedStores } from './recorded-changes.ts';
import type { ConfigurationStore } from './store.ts';

/** Refuses a save, because somebody else saved after the caller read. `current` is the stored version when the caller named one. */
export class StaleVersion extends Refusal {
  readonly current: Assistant | Action | undefined;

  constructor(what: 'Action' | 'assistant', current?: Assistant | Action) {
    const next = current === undefined ? 'read it again' : `the current version is ${current.version}`;
    super('stale_version', { message: `version: the ${what} was changed in the meantime; ${next}` });
    this.current = current;
  }
}

/** What a save replaces: how it is read, and the call of the store that gives what was read to the save. */
export type Saved<Entity> = {
  readonly read: () => Promise<Entity>;
  readonly as: (seen: () => Promise<Entity>) => Partial<ConfigurationStore>;
};

/**
 * Runs a save of what the caller read in this version, with a store that has this version and records the change.
 * @throws StaleVersion with the current version when it is another one; also the errors of `read` and `save`
 */
export async function saveAt<Entity extends Assistant | Action, Ports extends RecordedStores, Result>(
  admin: Membership,
  version: number,
  { read, as }: Saved<Entity>,
  ports: Ports,
  save: (ports: Ports & { readonly store: ConfigurationStore }) => Promise<Result>,
): Promise<Result> {
  const stale = (current: Entity) => new StaleVersion('action_id' in current ? 'Action' : 'assistant', current);
  const seen = await read();
  if (seen.version !== version) throw stale(seen);
  try {
    return await save({ ...ports, store: { ...ports.recorded(admin), ...as(async () => seen) } });
  } catch (error) {
    if (!(error instanceof StaleVersion)) throw error;
    throw stale(await read());
  }
}
