import { useState } from 'react';

type Stored<E, V> = { readonly base: E; readonly values: V };

export type Edit<E, V> = {
  /** The stored entity. */
  readonly base: E;
  /** The values in the form. */
  readonly values: V;
  readonly changed: (keyof V)[];
  readonly set: (change: Partial<V>) => void;
  /** Discards the input and starts from the stored entity, or from a newer version. */
  readonly reset: (base?: E) => void;
  /** Keeps the changed fields and takes the other fields from the version that another user has saved. */
  readonly rebase: (current: E) => void;
};

/**
 * Edits an entity with a version. The tab keeps the input until the user saves or discards it, also during a login or a reload.
 * @param key identifies the form
 * @param pick returns the form's values of an entity
 */
export function useEdit<E extends object, V extends object>(
  key: string,
  entity: E,
  pick: (entity: E) => V,
): Edit<E, V> {
  const name = `va-wave.draft.${key}`;
  const [{ base, values }, setState] = useState<Stored<E, V>>(() => {
    const stored = window.sessionStorage.getItem(name);
    return stored === null ? { base: entity, values: pick(entity) } : JSON.parse(stored);
  });
  const keep = (next: Stored<E, V>) => {
    if (differences(pick(next.base), next.values).length === 0) window.sessionStorage.removeItem(name);
    else window.sessionStorage.setItem(name, JSON.stringify(next));
    setState(next);
  };
  return {
    base,
    values,
    changed: differences(pick(base), values),
    set: (change) => keep({ base, values: { ...values, ...change } }),
    reset: (from = base) => keep({ base: from, values: pick(from) }),
    rebase: (current) => {
      const mine = Object.fromEntries(differences(pick(base), values).map((field) => [field, values[field]]));
      keep({ base: current, values: { ...pick(current), ...mine } });
    },
  };
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
