import { type SubmitEvent, useState } from 'react';
import { useDashboard } from './context.ts';
import { type Draft, differences, type Edit, useEdit } from './use-edit.ts';
import { type Problems, useProblems } from './use-problems.ts';

/** Names of settings for people. */
export type Labels = Readonly<Record<string, string>>;

/** What another user has saved while the form was open. */
type Conflict = {
  readonly changes: readonly {
    readonly label: string;
    readonly before: string;
    readonly after: string;
    readonly yours: string;
  }[];
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
};

export type EditedForm<E, V> = Edit<E, V> & {
  readonly saving: boolean;
  readonly save: (event: SubmitEvent) => Promise<void>;
  readonly conflict: Conflict | undefined;
  readonly problems: Problems;
};

/**
 * Edits and saves an entity. The API validates it. It refuses a change of an older version, and the user then chooses.
 * @param options.key identifies the form, as for `useEdit`
 * @param options.labels the settings that a conflict shows
 * @param options.newerIn returns the newer version that a refusal contains
 * @param options.onNewer called with that version when the user chooses it
 * @param options.write saves the input
 * @param options.onFailure called with an error that is about no field
 */
export function useForm<E extends { readonly version: number }, V extends object>(options: {
  readonly key: string;
  readonly entity: E;
  readonly pick: (entity: E) => V;
  readonly initial?: V | undefined;
  readonly labels?: Labels;
  readonly newerIn?: (error: unknown) => E | undefined;
  readonly onNewer?: (newer: E) => void;
  readonly write: (edit: Edit<E, V>) => Promise<void>;
  readonly onFailure?: (error: unknown) => void;
}): EditedForm<E, V> {
  const { report } = useDashboard();
  const { pick, labels = {}, onFailure = report } = options;
  const edit = useEdit(options.key, options.entity, pick, options.initial);
  const problems = useProblems(edit.values);
  const [saving, setSaving] = useState(false);
  const [newer, setNewer] = useState<E>();

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (edit.base.version > 0 && edit.changed.length === 0) return;
    setSaving(true);
    problems.clear();
    setNewer(undefined);
    try {
      await options.write(edit);
    } catch (error) {
      const current = options.newerIn?.(error);
      if (current !== undefined) setNewer(current);
      else if (!problems.refuse(error)) onFailure(error);
    } finally {
      setSaving(false);
    }
  };
  const conflict = newer && {
    changes: changesBetween(edit, newer, labels),
    keepMine: () => {
      edit.rebase(newer, pick(edit.base));
      setNewer(undefined);
    },
    takeTheirs: () => {
      edit.reset(newer);
      options.onNewer?.(newer);
      setNewer(undefined);
    },
  };
  return { ...edit, saving, save, conflict, problems };
}

/** Returns what another user has changed. `yours` is the user's own value of a setting that the form has. */
function changesBetween({ base, values }: Draft<object, object>, newer: object, labels: Labels): Conflict['changes'] {
  const mine = new Map<string, unknown>(Object.entries(values));
  return differences(base, newer).flatMap(({ field, old, now }) => {
    const label = labels[field];
    if (label === undefined) return [];
    return [{ label, before: shown(old), after: shown(now), yours: shown(mine.has(field) ? mine.get(field) : old) }];
  });
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'object') return String(value);
  if ('last_six' in value) return `…${value.last_six}`;
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) return 'other entries';
  return value.length === 0 ? 'empty' : value.join(', ');
}
