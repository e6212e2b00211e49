import { useRef, useState } from 'react';

/** Input that is not saved. `id` identifies it, so that a repeated creation can be recognized, also after a reload. */
type Draft<E, V> = { readonly base: E; readonly values: V; readonly id: string };

export type Edit<E, V> = Draft<E, V> & {
  readonly changed: (keyof V)[];
  /** Whether the input is from before the form was opened. */
  readonly restored: boolean;
  readonly set: (change: Partial<V>) => void;
  /** Discards the input and starts from the newest known version, or from the given one. */
  readonly reset: (base?: E) => void;
  /** Keeps the changed fields and takes the other fields from the version that another user has saved. */
  readonly rebase: (current: E) => void;
  /**
   * Starts from the saved version and keeps what was typed during the save.
   * @param sent the saved values
   * @param savedKey the key of the form in which that input continues
   * @returns whether there is such input
   */
  readonly saved: (entity: E, sent: V, savedKey?: string) => boolean;
};

/**
 * Edits an entity with a version. The tab keeps the input until the user saves or discards it, also during a login or a reload.
 * @param key identifies the form
 * @param pick returns the form's values of an entity
 * @param initial the values of an entity that does not exist yet, when they are not empty
 */
export function useEdit<E extends { readonly version: number }, V extends object>(
  key: string,
  entity: E,
  pick: (entity: E) => V,
  initial = pick(entity),
): Edit<E, V> {
  const unchanged = (base: E): Draft<E, V> => ({ base, values: pick(base), id: crypto.randomUUID() });
  const isClean = ({ base, values }: Draft<E, V>) => differences(pick(base), values).length === 0;
  const [restored, setRestored] = useState(() => window.sessionStorage.getItem(nameOf(key)) !== null);
  const [draft, setDraft] = useState<Draft<E, V>>(() => storedDraft(key) ?? { ...unchanged(entity), values: initial });
  /** The answer to a save arrives in a function of an earlier render, possibly after the form has been left. */
  const latest = useRef(draft);
  if (entity.version > latest.current.base.version && isClean(latest.current)) latest.current = unchanged(entity);

  const keep = (next: Draft<E, V>, inKey = key) => {
    latest.current = next;
    if (inKey !== key || isClean(next)) window.sessionStorage.removeItem(nameOf(key));
    if (!isClean(next)) window.sessionStorage.setItem(nameOf(inKey), JSON.stringify(next));
    setDraft(next);
  };
  /** Takes a version, and the fields in which the input differs from `before`. @returns whether there are any */
  const keepOnto = (base: E, before: V, inKey?: string) => {
    const { values, id } = latest.current;
    const mine = differences(before, values).map((field) => [field, values[field]]);
    keep({ base, values: { ...pick(base), ...Object.fromEntries(mine) }, id }, inKey);
    return mine.length > 0;
  };
  const { base, values, id } = latest.current;
  return {
    base,
    values,
    id,
    changed: differences(pick(base), values),
    restored,
    set: (change) => keep({ ...latest.current, values: { ...latest.current.values, ...change } }),
    reset: (from) => {
      const { base: known } = latest.current;
      keep(unchanged(from ?? (entity.version > known.version ? entity : known)));
      setRestored(false);
    },
    rebase: (current) => {
      keepOnto(current, pick(latest.current.base));
    },
    saved: (saved, sent, savedKey) => {
      setRestored(false);
      return keepOnto(saved, sent, savedKey);
    },
  };
}

const nameOf = (key: string) => `va-wave.draft.${key}`;

/** Returns a draft of this tab. Drafts of earlier versions have no id. */
function storedDraft<E, V>(key: string): Draft<E, V> | undefined {
  const stored = window.sessionStorage.getItem(nameOf(key));
  return stored === null ? undefined : { id: crypto.randomUUID(), ...JSON.parse(stored) };
}

/** Returns the fields in which two values differ. */
export function differences<V extends object>(before: V, after: V): (keyof V)[] {
  const fields = new Set([...keysOf(before), ...keysOf(after)]);
  return [...fields].filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

function keysOf<V extends object>(value: V): (keyof V)[] {
  const keys: (keyof V)[] = [];
  for (const key in value) keys.push(key);
  return keys;
}
