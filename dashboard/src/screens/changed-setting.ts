import { ERASED } from '../../../src/contract/retention.ts';

/** A changed setting, with its old and new value where the trail has them. */
export type Changed = readonly [label: string, before?: string, after?: string];

type Change = { readonly field: string; readonly before: string | null; readonly after: string | null };

/** Returns what the audit trail shows of a change. It keeps the beginning of a value, and no query of a URL: such values can be equal. */
export function changedSetting(label: string, { field, before, after }: Change): Changed {
  if (before !== after) return [label, before || 'not set', after || 'not set'];
  if (before === ERASED) return [`${label}: erased`];
  const isQuery = field === 'url' && before?.endsWith('?…');
  return [`${label}: ${isQuery ? 'another query' : 'changed after its beginning'}`];
}
