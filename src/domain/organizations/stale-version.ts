import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { Refusal } from '../refusal.ts';

/** Refuses a save, because somebody else saved after the caller read. `current` is the stored version when the caller named one. */
export class StaleVersion extends Refusal {
  readonly current: Assistant | Action | undefined;

  constructor(what: 'Action' | 'assistant', current?: Assistant | Action) {
    const next = current === undefined ? 'read it again' : `the current version is ${current.version}`;
    super('stale_version', { message: `version: the ${what} was changed in the meantime; ${next}` });
    this.current = current;
  }
}

/**
 * Saves what the caller read in this version.
 * @param save gets the entity that was read
 * @throws StaleVersion with the current version when it is another one; also the errors of `read` and `save`
 */
export async function saveAt<Entity extends Assistant | Action, Result>(
  version: number,
  read: () => Promise<Entity>,
  save: (seen: Entity) => Promise<Result>,
): Promise<Result> {
  const stale = (current: Entity) => new StaleVersion('action_id' in current ? 'Action' : 'assistant', current);
  const seen = await read();
  if (seen.version !== version) throw stale(seen);
  try {
    return await save(seen);
  } catch (error) {
    if (!(error instanceof StaleVersion)) throw error;
    throw stale(await read());
  }
}
