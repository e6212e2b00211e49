import { useState } from 'react';

type Stored<E, V> = { readonly base: E; readonly values: V };

export type Edit<E, V> = {
  /** As it was read. */
  readonly base: E;
  /** As it is in the form. */
  readonly values: V;
  readonly changed: (keyof V)[];
  readonly set: (change: Partial<V>) => void;
  /** Begins anew from what was saved, or from what is there now. */
  readonly reset: (base?: E) => void;
  /** Keeps what was typed and takes over everything else that somebody else saved. */
  readonly rebase: (current: E) => void;
};

/**
 * The edited form of something with a version. What was typed is kept in the tab until it is saved or discarded, so that neither
 * a login in between nor a reload loses it.
 * @param key names the form; `pick` takes the form's values out of what was read
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

/** The fields in which two values differ. */
export function differences<V extends object>(before: V, after: V): (keyof V)[] {
  const fields = new Set([...keysOf(before), ...keysOf(after)]);
  return [...fields].filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

function keysOf<V extends object>(value: V): (keyof V)[] {
  const keys: (keyof V)[] = [];
  for (const key in value) keys.push(key);
  return keys;
}
