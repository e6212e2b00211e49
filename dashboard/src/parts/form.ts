import { type ReactNode, type SubmitEvent, useRef, useState, useSyncExternalStore } from 'react';
import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import type { OPERATOR } from '../../../src/contract/organizations.ts';
import { navigate } from '../navigation.ts';
import { currentAction, currentAssistant, errorCodeOf } from '../session/problems.ts';
import { useDashboard } from './context.ts';
import { type Problems, useProblems } from './use-problems.ts';

type Entities = { readonly action: ActionView; readonly assistant: AssistantView };
type Kind = keyof Entities;
export const NEW = { version: 0 } as const;

export function isStored<E extends Entities[Kind]>(entity: E | typeof NEW): entity is E {
  return entity.version > 0;
}

/** Returns the newer version that a refused save contains. */
const CURRENT: { readonly [K in Kind]: (error: unknown) => Entities[K] | undefined } = {
  action: currentAction,
  assistant: currentAssistant,
};

/** A setting of a form: its name for people, its value where none is stored, and how it is read and written where the form has it otherwise. */
type Row<Value> = {
  readonly label: string;
  readonly blank: Value;
  /** Whether the service may have none: then a blank value is none. */
  readonly isOptional?: true;
  read?(stored: unknown): Value;
  write?(value: Value): unknown;
};
type Rows = Readonly<Record<string, Row<unknown>>>;
type Conversion<Stored, Value> = { read(stored: Stored): Value; write(value: Value): unknown };
/** The row of a setting that the service has as `Stored` and the form as `Value`. */
export type SettingRow<Stored, Value> = { readonly label: string; readonly blank: Value } & (undefined extends Stored
  ? { readonly isOptional: true }
  : unknown) &
  ([Exclude<Stored, undefined>] extends [Value]
    ? Partial<Conversion<Exclude<Stored, undefined>, Value>>
    : Conversion<Exclude<Stored, undefined>, Value>);

export function valuesOf<V extends object>(rows: { readonly [F in keyof V]: Row<V[F]> }, entity: object): V;
export function valuesOf(rows: Rows, entity: object): object {
  const storedSettings = new Map<string, unknown>(Object.entries(entity));
  return Object.fromEntries(
    Object.entries(rows).map(([field, { blank, read }]) => {
      const value = storedSettings.get(field);
      return [field, value === undefined ? blank : (read?.(value) ?? value)];
    }),
  );
}

/** Returns the values of these rows as the API takes them. */
export function writtenSettings(rows: Rows, values: object): Record<string, unknown> {
  const formValues = new Map<string, unknown>(Object.entries(values));
  return Object.fromEntries(
    Object.entries(rows).flatMap(([field, { blank, isOptional, write }]) => {
      const value = formValues.get(field);
      if (isOptional && JSON.stringify(value) === JSON.stringify(blank)) return [];
      return [[field, write === undefined ? value : write(value)]];
    }),
  );
}

/** Returns the settings of these rows that the input changes; null removes one. */
export function changeOf(rows: Rows, base: object, values: object) {
  const changedSettings = changedValues(writtenSettings(rows, valuesOf(rows, base)), writtenSettings(rows, values));
  return Object.fromEntries(Object.entries(changedSettings).map(([field, value]) => [field, value ?? null]));
}

/** Input that is not saved. `base` is the version of the entity from which it started. `id` identifies the draft, so that a repeated creation can be recognized, also after a reload. */
type Draft<E, V> = { readonly base: E; readonly values: V; readonly id: string };
/** A form with input that is not saved: its name for people, its address, and the name under which the tab's storage has its draft. */
export type Unsaved = { readonly title: string; readonly path: string; readonly storageKey: string };
type FormPlace = { readonly key: string; readonly path: string };
type StoredDraft<E, V> = Draft<E, V> & FormPlace & { readonly title: string };

type Saved<E> = {
  readonly entity: E;
  readonly message: ReactNode;
  /** Where to go from the form, unless there is input that was typed during the save. */
  readonly leaveTo?: string;
  /** The form in which that input continues, when it is another one. */
  readonly continuesIn?: FormPlace;
};

/** What has been saved elsewhere while the form was open. */
type Conflict = {
  /** Who saved it: `you`, `The operator` or an email; undefined when the audit trail does not say it, as of a restriction of the whole organization. */
  readonly by: string | undefined;
  readonly changes: readonly Readonly<Record<'label' | 'before' | 'after' | 'yours', string>>[];
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
};

export type FieldsOf<V> = {
  readonly values: V;
  readonly setField: <Field extends keyof V>(field: Field, value: V[Field]) => void;
  readonly problems: Problems;
  readonly isReadOnly: boolean;
};

/** What one field, or several of the same kind, need of their form. */
export type Fields<Field extends string, Value> = Omit<FieldsOf<unknown>, 'values' | 'setField'> & {
  readonly values: Readonly<Record<Field, Value>>;
  readonly setField: (field: Field, value: Value) => void;
};

export type EditedForm<K extends Kind, V extends object> = ReturnType<typeof useForm<K, V>>;

/**
 * Edits and saves an entity with a version. The tab keeps the input until the user saves or discards it, also during a login or a reload.
 * The API validates it. It refuses a change of an older version, and the user then chooses.
 * @param options.place the title names the form where the dashboard lists input that is not saved
 * @param options.initial the values of an entity that does not exist yet, when they are not blank
 * @param options.onVersion called with a newer version: the saved one, or another user's when the user chooses it
 * @param options.isDialog whether the form is a dialog, which shows by itself (`failure`) an error that is about no field
 */
export function useForm<K extends Kind, V extends object>(options: {
  readonly kind: K;
  readonly place: FormPlace & { readonly title: string };
  readonly entity: Entities[K] | typeof NEW;
  readonly rows: { readonly [F in keyof V]: Row<V[F]> };
  readonly initial?: V | undefined;
  readonly save: (draft: Draft<Entities[K] | typeof NEW, V>) => Promise<Saved<Entities[K]>>;
  readonly onVersion?: (version: Entities[K]) => void;
  readonly isDialog?: true;
}) {
  type E = Entities[K] | typeof NEW;
  const { api, sub, organization, report, notify, isAdmin } = useDashboard();
  const { place, entity, rows, onVersion } = options;
  const storageKey = (form: string) => `${prefixOf(sub)}${form}`;
  const pick = (version: E): V => valuesOf(rows, version);
  const unchangedDraft = (base: E): Draft<E, V> => ({ base, values: pick(base), id: crypto.randomUUID() });
  const trimmedValues = ({ base, values }: Draft<E, V>): V => ({
    ...values,
    ...withoutOuterSpace(changedValues(pick(base), values)),
  });
  const changesIn = (draft: Draft<E, V>) => changedValues(pick(draft.base), trimmedValues(draft));
  const [isRestored, setRestored] = useState(() => storedDraft(storageKey(place.key)) !== undefined);
  const [draft, setDraft] = useState<Draft<E, V>>(() => {
    const stored = storedDraft<E, V>(storageKey(place.key));
    if (stored !== undefined)
      return { ...stored, values: { ...pick(entity), ...fittingValues(pick(entity), stored.values) } };
    return { ...unchangedDraft(entity), values: options.initial ?? pick(entity) };
  });
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [newer, setNewer] = useState<{ readonly entity: Entities[K]; readonly by: string | undefined }>();
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
  const values = trimmedValues(latest.current);
  const dirty = !isEmpty(changesIn(latest.current));
  const problems = useProblems(values);

  /** Makes a draft the form's, and stores it while it changes something. `at` is another form that continues with it. */
  const keep = (next: Draft<E, V>, at: FormPlace = place) => {
    latest.current = next;
    const stored: StoredDraft<E, V> = { ...next, title: place.title, key: at.key, path: at.path };
    const draftJson = isEmpty(changesIn(next)) ? undefined : JSON.stringify(stored);
    replaceDraft(storageKey(place.key), storageKey(at.key), draftJson);
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
  const change = (changed: Partial<V>) => keep({ ...latest.current, values: { ...latest.current.values, ...changed } });
  const trim = () => {
    if (!isEmpty(changedValues(latest.current.values, trimmedValues(latest.current))))
      change(trimmedValues(latest.current));
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    // What does not exist yet may be created as it is.
    if (isStored<Entities[Kind]>(base) && !dirty) return;
    const formPath = window.location.pathname;
    setSaving(true);
    problems.clear();
    setNewer(undefined);
    setFailure(undefined);
    trim();
    try {
      const { entity: savedEntity, message, leaveTo, continuesIn } = await options.save(latest.current);
      const hasFurtherInput = rebase(savedEntity, values, continuesIn);
      onVersion?.(savedEntity);
      const next = hasFurtherInput ? continuesIn?.path : leaveTo;
      // The user may have left the form meanwhile.
      if (next !== undefined && window.location.pathname === formPath && next !== formPath) navigate(next);
      notify(message);
    } catch (error) {
      const current = CURRENT[options.kind](error);
      if (current !== undefined) setNewer({ entity: current, by: await authorOf(current).catch(() => undefined) });
      else if (!problems.refuse(error)) (options.isDialog ? setFailure : report)(error);
      // Its id has created something else: in an earlier attempt, or in a copy of this tab. The user, who now knows it, may create another one.
      if (errorCodeOf(error) === 'idempotency_key_reused') {
        const isDraftStored = storedDraft(storageKey(place.key)) !== undefined;
        latest.current = { ...latest.current, id: crypto.randomUUID() };
        // What was discarded meanwhile on another screen stays discarded.
        if (isDraftStored) keep(latest.current);
      }
    } finally {
      setSaving(false);
    }
  };
  const authorOf = async (version: Entities[Kind]) => {
    const { records } = await api('listAudit', { org_id: organization.org_id }, {});
    const id = 'action_id' in version ? version.action_id : version.site_id;
    const author = records.find((record) => record.entity_id === id && record.version === version.version)?.by.email;
    // Of the contract only the type, so that the page does not contain its schemas.
    const operator: (typeof OPERATOR)['email'] = 'operator';
    if (author === operator) return 'The operator';
    return author === organization.email ? 'you' : author;
  };
  const conflict: Conflict | undefined = newer && {
    by: newer.by,
    changes: changesBetween(latest.current, newer.entity, rows),
    keepMine: () => {
      rebase(newer.entity, pick(base));
      setNewer(undefined);
    },
    takeTheirs: () => {
      startFrom(newer.entity);
      onVersion?.(newer.entity);
      setNewer(undefined);
    },
  };
  return {
    ...latest.current,
    dirty,
    /** Whether somebody typed what is not saved. A form with `initial` values is dirty before anything is typed. */
    unsaved: dirty && storedDraft(storageKey(place.key)) !== undefined,
    isReadOnly: !isAdmin,
    isRestored,
    isSaving,
    /** Why the last save failed, where no field is wrong and no message of the page can say it. */
    failure,
    save,
    /** Removes the white space around what was typed, which a save removes too. */
    trim,
    setField: <Field extends keyof V>(field: Field, value: V[Field]): void =>
      keep({ ...latest.current, values: { ...latest.current.values, [field]: value } }),
    change,
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

/** Returns the stored values that a form with these values can show. An earlier version of the page may have stored others. */
export function fittingValues<V extends object>(values: V, storedValues: Partial<V>): Partial<V>;
export function fittingValues(values: object, storedValues: object): object {
  const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value);
  const kinds = new Map(Object.entries(values).map(([field, value]) => [field, kindOf(value ?? undefined)]));
  const fits = ([field, value]: [string, unknown]) => ['undefined', kindOf(value)].includes(kinds.get(field) ?? '');
  return Object.fromEntries(Object.entries(storedValues).filter(fits));
}

/** Returns values without the white space around texts, entries of lists and parts of rows, which the service does not keep. */
export const withoutOuterSpace = (values: object): object =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, trimmedValue(value)]));
function trimmedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (!Array.isArray(value)) return value;
  return value.map((row) => (typeof row === 'object' ? withoutOuterSpace(row) : trimmedValue(row)));
}

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
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  const isChanged = (field: string) => JSON.stringify(old.get(field)) !== JSON.stringify(now.get(field));
  return Object.fromEntries(fields.filter(isChanged).map((field) => [field, now.get(field)]));
}

/** Returns what another user has changed. `yours` is the user's own value. */
export function changesBetween({ base, values }: Draft<object, object>, newer: object, rows: Rows) {
  const old = new Map<string, unknown>(Object.entries(base));
  const mine = new Map<string, unknown>(Object.entries(values));
  return Object.entries(changedValues(base, newer)).flatMap(([field, value]) => {
    const label = rows[field]?.label;
    if (label === undefined) return [];
    const yours = shownValue(mine.get(field));
    return [{ label, before: shownValue(old.get(field)), after: shownValue(value), yours }];
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
