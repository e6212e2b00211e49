import { type SubmitEvent, useRef, useState, useSyncExternalStore } from 'react';
import type { OPERATOR } from '../../../src/contract/organizations.ts';
import { codeOf } from '../session/problems.ts';
import { useDashboard } from './context.ts';
import { type Problems, useProblems } from './use-problems.ts';

/** Input that is not saved. `base` is the version of the entity from which it started. `id` identifies the draft, so that a repeated creation can be recognized, also after a reload. */
export type Draft<E, V> = { readonly base: E; readonly values: V; readonly id: string };

/** A form with input that is not saved: its name for people, its address, and the name under which the tab's storage has its draft. */
export type Unsaved = { readonly title: string; readonly path: string; readonly storageKey: string };
/** What identifies a form, and its address. */
type FormPlace = { readonly key: string; readonly path: string };
type StoredDraft<E, V> = Draft<E, V> & FormPlace & { readonly title: string };

/** Names of settings for people. */
export type Labels = Readonly<Record<string, string>>;

/** What has been saved elsewhere while the form was open. */
type Conflict = {
  /** Who saved it: `you`, `The operator` or an email; undefined when the audit trail does not say it, as of a restriction of the whole organization. */
  readonly by: string | undefined;
  readonly changes: readonly Readonly<Record<'label' | 'before' | 'after' | 'yours', string>>[];
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
};

/** What the fields of a form need of the form. */
export type FieldsOf<V> = {
  readonly values: V;
  readonly setField: <Field extends keyof V>(field: Field, value: V[Field]) => void;
  readonly problems: Problems;
  /** Whether the user may not change it. */
  readonly isReadOnly: boolean;
};

/** What one field, or several of the same kind, need of their form. */
export type Fields<Field extends string, Value> = Omit<FieldsOf<unknown>, 'values' | 'setField'> & {
  readonly values: Readonly<Record<Field, Value>>;
  readonly setField: (field: Field, value: Value) => void;
};

export type EditedForm<E extends { readonly version: number }, V extends object> = ReturnType<typeof useForm<E, V>>;

/**
 * Edits and saves an entity with a version. The tab keeps the input until the user saves or discards it, also during a login or a reload.
 * The API validates it. It refuses a change of an older version, and the user then chooses.
 * @param options.id of the entity, under which the audit trail has the author of another change
 * @param options.title names the form where the dashboard lists input that is not saved
 * @param options.pick returns the form's values of an entity
 * @param options.initial the values of an entity that does not exist yet, when they are not empty
 * @param options.labels the settings that a conflict shows
 * @param options.newerIn returns the newer version that a refusal contains
 * @param options.onNewer called with that version when the user chooses it
 * @param options.onSaved called with what is saved, and whether there is input that was typed during the save
 * @param options.continuesIn returns the form in which that input continues, when it is another one
 * @param options.onFailure called with an error that is about no field
 */
export function useForm<E extends { readonly version: number }, V extends object>(options: {
  readonly key: string;
  readonly id?: string;
  readonly title: string;
  readonly path: string;
  readonly entity: E;
  readonly pick: (entity: E) => V;
  readonly initial?: V | undefined;
  readonly labels?: Labels;
  readonly newerIn?: (error: unknown) => E | undefined;
  readonly onNewer?: (newer: E) => void;
  readonly write: (draft: Draft<E, V>) => Promise<E>;
  readonly onSaved: (saved: E, typed: boolean) => void;
  readonly continuesIn?: (saved: E) => FormPlace;
  readonly onFailure?: (error: unknown) => void;
}) {
  const { api, sub, organization, report, isAdmin } = useDashboard();
  const { key, title, path, entity, pick, onFailure = report } = options;
  const storageKey = (form: string) => `${prefixOf(sub)}${form}`;
  const unchangedDraft = (base: E): Draft<E, V> => ({ base, values: pick(base), id: crypto.randomUUID() });
  /** Returns the values of a draft, those that were changed without white space around their texts. */
  const trimmedValues = ({ base, values }: Draft<E, V>): V => ({
    ...values,
    ...withoutOuterSpace(changedValues(pick(base), values)),
  });
  /** Returns what a save of the draft changes. */
  const changesIn = (draft: Draft<E, V>) => changedValues(pick(draft.base), trimmedValues(draft));
  const [isRestored, setRestored] = useState(() => storedDraft(storageKey(key)) !== undefined);
  const [draft, setDraft] = useState<Draft<E, V>>(() => {
    const stored = storedDraft<E, V>(storageKey(key));
    // An earlier version of the page may have stored it without a field.
    if (stored !== undefined) return { ...stored, values: { ...pick(entity), ...stored.values } };
    return { ...unchangedDraft(entity), values: options.initial ?? pick(entity) };
  });
  const [isSaving, setSaving] = useState(false);
  const [newer, setNewer] = useState<{ readonly entity: E; readonly by: string | undefined }>();
  /** The draft as it is now: the answer to a save arrives in a function of an earlier render, possibly after the form has been left. */
  const latest = useRef(draft);
  if (entity.version > latest.current.base.version) {
    const mine = changesIn(latest.current);
    const theirs = changedValues(pick(latest.current.base), pick(entity));
    // Another form of this page has saved the newer version, and has changed no field in which something was typed here.
    if (Object.keys(mine).every((field) => !(field in theirs))) {
      latest.current = { ...latest.current, base: entity, values: { ...pick(entity), ...mine } };
    }
  }
  const { base } = latest.current;
  /** The input as it will be saved. */
  const values = trimmedValues(latest.current);
  const dirty = !isEmpty(changesIn(latest.current));
  const problems = useProblems(values);

  /** Makes a draft the form's, and stores it while it changes something. `at` is another form that continues with it. */
  const keep = (next: Draft<E, V>, at: FormPlace = { key, path }) => {
    latest.current = next;
    const stored: StoredDraft<E, V> = { ...next, title, ...at };
    replaceDraft(storageKey(key), storageKey(at.key), isEmpty(changesIn(next)) ? undefined : JSON.stringify(stored));
    setDraft(next);
  };
  const startFrom = (version: E) => {
    keep(unchangedDraft(version));
    setRestored(false);
  };
  /** Takes a newer version, and keeps the fields in which the input differs from `before`. @returns whether there is such input */
  const rebase = (version: E, before: V, at?: FormPlace) => {
    const mine = changedValues(before, latest.current.values);
    keep({ ...latest.current, base: version, values: { ...pick(version), ...mine } }, at);
    setRestored(false);
    return !isEmpty(mine);
  };
  const trim = () => {
    const values = trimmedValues(latest.current);
    if (!isEmpty(changedValues(latest.current.values, values))) keep({ ...latest.current, values });
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    // Version 0 does not exist yet, and may be created as it is.
    if (base.version > 0 && !dirty) return;
    setSaving(true);
    problems.clear();
    setNewer(undefined);
    trim();
    try {
      const saved = await options.write(latest.current);
      options.onSaved(saved, rebase(saved, values, options.continuesIn?.(saved)));
    } catch (error) {
      const current = options.newerIn?.(error);
      if (current !== undefined) setNewer({ entity: current, by: await authorOf(current).catch(() => undefined) });
      else if (!problems.refuse(error)) onFailure(error);
      // Its id has created something else: in an earlier attempt, or in a copy of this tab. The user, who now knows it, may create another one.
      if (codeOf(error) === 'idempotency_key_reused') {
        const isStored = storedDraft(storageKey(key)) !== undefined;
        latest.current = { ...latest.current, id: crypto.randomUUID() };
        // What was discarded meanwhile on another screen stays discarded.
        if (isStored) keep(latest.current);
      }
    } finally {
      setSaving(false);
    }
  };
  const authorOf = async ({ version }: E) => {
    const { records } = await api('listAudit', { org_id: organization.org_id }, {});
    const author = records.find((record) => record.entity_id === options.id && record.version === version)?.by.email;
    // Of the contract only the type, so that the page does not contain its schemas.
    const operator: (typeof OPERATOR)['email'] = 'operator';
    if (author === operator) return 'The operator';
    return author === organization.email ? 'you' : author;
  };
  const conflict = newer && {
    by: newer.by,
    changes: changesBetween(latest.current, newer.entity, options.labels ?? {}),
    keepMine: () => {
      rebase(newer.entity, pick(base));
      setNewer(undefined);
    },
    takeTheirs: () => {
      startFrom(newer.entity);
      options.onNewer?.(newer.entity);
      setNewer(undefined);
    },
  };
  return {
    ...latest.current,
    dirty,
    /** Whether somebody typed what is not saved. A form with `initial` values is dirty before anything is typed. */
    unsaved: dirty && storedDraft(storageKey(key)) !== undefined,
    isReadOnly: !isAdmin,
    /** Whether the input is from before the form was opened. */
    isRestored,
    isSaving,
    save,
    /** Removes the white space around what was typed, which a save removes too. */
    trim,
    setField: <Field extends keyof V>(field: Field, value: V[Field]): void =>
      keep({ ...latest.current, values: { ...latest.current.values, [field]: value } }),
    change: (values: Partial<V>): void => keep({ ...latest.current, values: { ...latest.current.values, ...values } }),
    /** Discards the input and starts from the newest known version. */
    reset: () => startFrom(entity.version > latest.current.base.version ? entity : latest.current.base),
    conflict,
    problems,
  };
}

/** Returns how the names of a user's drafts in the storage begin. Somebody else may log in in the same tab. */
const prefixOf = (sub = '') => `va-wave.draft.${sub}.`;
const draftListeners = new Set<() => void>();
/** The drafts for which the storage of the tab has no room, by their names there. A reload loses them. */
const draftsOnPage = new Map<string, string | undefined>();

/** Returns values without the white space around their texts, which the service does not keep. */
const withoutOuterSpace = (values: object): object =>
  JSON.parse(JSON.stringify(values), (_, part) => (typeof part === 'string' ? part.trim() : part));

const isEmpty = (values: object) => Object.keys(values).length === 0;

/** Discards the input of a form that is not open. */
export const discardUnsaved = ({ storageKey }: Unsaved): void => replaceDraft(storageKey);

/** Removes the draft with the name `former`, and stores `draft`, if there is one. */
function replaceDraft(former: string, name = former, draft?: string): void {
  draftsOnPage.delete(former);
  window.sessionStorage.removeItem(former);
  try {
    if (draft !== undefined) window.sessionStorage.setItem(name, draft);
  } catch {
    draftsOnPage.set(name, draft);
  }
  for (const listener of draftListeners) listener();
}

/** Returns the forms of this tab with input of a user that is not saved. */
export function useUnsaved(sub: string | undefined): readonly Unsaved[] {
  const unsavedJson = useSyncExternalStore(
    (listener) => {
      draftListeners.add(listener);
      return () => draftListeners.delete(listener);
    },
    () =>
      JSON.stringify(
        [...Object.keys(window.sessionStorage), ...draftsOnPage.keys()].flatMap((name) =>
          name.startsWith(prefixOf(sub)) ? unsavedAt(name) : [],
        ),
      ),
  );
  return JSON.parse(unsavedJson);
}

function unsavedAt(storageKey: string): readonly Unsaved[] {
  const { title, path } = storedDraft<unknown, unknown>(storageKey) ?? {};
  return title === undefined || path === undefined ? [] : [{ title, path, storageKey }];
}

/** Returns the draft that the tab has under a name; undefined also when something else is there. */
function storedDraft<E, V>(name: string): StoredDraft<E, V> | undefined {
  try {
    const draft = JSON.parse(draftsOnPage.get(name) ?? window.sessionStorage.getItem(name) ?? '');
    return draft.base && draft.values ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the values of `after` that differ from `before`; undefined for a field that `after` does not have. */
export function changedValues(before: object, after: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(differences(before, after).map(({ field, now }) => [field, now]));
}

function differences(before: object, after: object): readonly { field: string; old: unknown; now: unknown }[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, old: old.get(field), now: now.get(field) }))
    .filter((difference) => JSON.stringify(difference.old) !== JSON.stringify(difference.now));
}

/** Returns what another user has changed. `yours` is the user's own value of a setting that the form has. */
function changesBetween({ base, values }: Draft<object, object>, newer: object, labels: Labels): Conflict['changes'] {
  const mine = new Map<string, unknown>(Object.entries(values));
  return differences(base, newer).flatMap(({ field, old, now }) => {
    const label = labels[field];
    if (label === undefined) return [];
    return [
      {
        label,
        before: shownValue(old),
        after: shownValue(now),
        yours: shownValue(mine.has(field) ? mine.get(field) : old),
      },
    ];
  });
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'object') return String(value);
  // A server secret, of which only the end is known.
  if ('last_six' in value) return `…${value.last_six}`;
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) return 'other entries';
  return value.filter((item) => item !== '').join(', ') || 'empty';
}
