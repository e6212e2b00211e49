import { ERASED } from '../../../src/contract/retention.ts';

/** A changed setting, with its old and new value where the trail has them. */
export type Changed = readonly [label: string, before?: string, after?: string];
type Change = { readonly field: string; readonly before: string | null; readonly after: string | null };

/** Returns what the screen shows of a change. The trail keeps only the beginning of a value, and `?…` in place of the query of a URL, so that two different values can be equal there. */
export function changedSetting(label: string, { field, before, after }: Change): Changed {
  if (before !== after) return [label, before || 'not set', after || 'not set'];
  if (before === ERASED) return [`${label}: erased`];
  const isQuery = field === 'url' && before?.endsWith('?…');
  return [`${label}: ${isQuery ? 'another query' : 'changed after its beginning'}`];
}
