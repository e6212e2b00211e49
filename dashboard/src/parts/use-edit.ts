import { useRef, useState } from 'react';

/** Input that is not saved. `id` identifies it, so that a repeated creation can be recognized, also after a reload. */
export type Draft<E, V> = { readonly base: E; readonly values: V; readonly id: string };

export type Edit<E, V> = Draft<E, V> & {
  readonly changed: readonly string[];
  /** Whether the input is from before the form was opened. */
  readonly restored: boolean;
  readonly set: (change: Partial<V>) => void;
  /** Discards the input and starts from the newest known version, or from the given one. */
  readonly reset: (base?: E) => void;
  /**
   * Takes a newer version, and keeps the fields in which the input differs from `before`.
   * @param keyAfter the key of the form in which that input continues
   * @returns whether there is such input
   */
  readonly rebase: (base: E, before: V, keyAfter?: string) => boolean;
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
  const changedIn = ({ base, values }: Draft<E, V>) => differences(pick(base), values).map(({ field }) => field);
  const [restored, setRestored] = useState(() => window.sessionStorage.getItem(nameOf(key)) !== null);
  const [draft, setDraft] = useState<Draft<E, V>>(() => storedDraft(key) ?? { ...unchanged(entity), values: initial });
  /** The answer to a save arrives in a function of an earlier render, possibly after the form has been left. */
  const latest = useRef(draft);
  const isClean = changedIn(latest.current).length === 0;
  if (entity.version > latest.current.base.version) {
    if (isClean) latest.current = unchanged(entity);
    // The newer version, such as one with a new server secret, differs only in settings of other forms.
    else if (differences(pick(latest.current.base), pick(entity)).length === 0)
      latest.current = { ...latest.current, base: entity };
  }

  const keep = (next: Draft<E, V>, keyAfter = key) => {
    latest.current = next;
    window.sessionStorage.removeItem(nameOf(key));
    if (changedIn(next).length > 0) window.sessionStorage.setItem(nameOf(keyAfter), JSON.stringify(next));
    setDraft(next);
  };
  return {
    ...latest.current,
    changed: changedIn(latest.current),
    restored,
    set: (change) => keep({ ...latest.current, values: { ...latest.current.values, ...change } }),
    reset: (from) => {
      const { base: known } = latest.current;
      keep(unchanged(from ?? (entity.version > known.version ? entity : known)));
      setRestored(false);
    },
    rebase: (base, before, keyAfter) => {
      const { values, id } = latest.current;
      const mine = differences(before, values);
      const kept = Object.fromEntries(mine.map(({ field, now }) => [field, now]));
      keep({ base, values: { ...pick(base), ...kept }, id }, keyAfter);
      setRestored(false);
      return mine.length > 0;
    },
  };
}

const nameOf = (key: string) => `va-wave.draft.${key}`;

/** Returns a draft of this tab. */
function storedDraft<E, V>(key: string): Draft<E, V> | undefined {
  const stored = window.sessionStorage.getItem(nameOf(key));
  return stored === null ? undefined : JSON.parse(stored);
}

/** Returns the fields in which two values differ. */
export function differences(before: object, after: object): readonly { field: string; old: unknown; now: unknown }[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, old: old.get(field), now: now.get(field) }))
    .filter((difference) => JSON.stringify(difference.old) !== JSON.stringify(difference.now));
}
