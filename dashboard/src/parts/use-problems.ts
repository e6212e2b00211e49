import { useEffect, useState } from 'react';
import { type FieldProblem, fieldProblems } from './problem.ts';

/** The position of a problem in a form, and the value that was refused. */
type Located = FieldProblem & { readonly row: string | undefined; readonly was: string };

/** The problems of a form. A problem remains until its field changes, or the equal field that caused the refusal. */
export type Problems = {
  /** The problem of a whole field, such as a text or a list. */
  readonly of: (field: string) => string | undefined;
  /** The problem of one row of a list, by the row's id, and of one part of it. A row without parts is its own id. */
  readonly ofRow: (field: string, row: string, part?: string) => string | undefined;
  /** Stores the problems that a refusal reports for fields. @returns whether it reports any */
  readonly refuse: (error: unknown) => boolean;
  readonly clear: () => void;
};

/** Empty values of several rows do not count as equal, because each row needs a value. */
const EMPTY = JSON.stringify('');

/** Keeps the problems of a form, and moves the focus to the first wrong field. @param values the form's values; lists contain texts or rows with an `id` */
export function useProblems(values: object): Problems {
  const [located, setLocated] = useState<readonly Located[]>([]);
  useEffect(() => {
    if (located.length > 0) document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus();
  }, [located]);
  const stands = ({ field, row, part, was }: Located) => textAt(values, field, row, part) === was;
  const current = located.filter((problem) => located.every((other) => !areEqual(problem, other) || stands(other)));
  return {
    of: (field) => current.find((problem) => problem.field === field && problem.row === undefined)?.text,
    ofRow: (field, row, part) =>
      current.find((problem) => problem.field === field && problem.row === row && problem.part === part)?.text,
    refuse: (error) => {
      const problems = fieldProblems(error);
      setLocated(problems.map((problem) => locate(values, problem)));
      return problems.length > 0;
    },
    clear: () => setLocated([]),
  };
}

/** Returns whether two rows were refused for the same value and reason. A correction of one of them corrects both. */
function areEqual(one: Located, other: Located): boolean {
  if (one === other) return true;
  return (
    one.row !== undefined &&
    other.row !== undefined &&
    one.field === other.field &&
    one.part === other.part &&
    one.text === other.text &&
    one.was === other.was &&
    one.was !== EMPTY
  );
}

function locate(values: object, problem: FieldProblem): Located {
  const { field, row: index, part } = problem;
  const list = listAt(values, field);
  const row =
    index === undefined ? undefined : list?.find((item, at) => at === Number(index) || nameOf(item) === index);
  // A problem whose row does not exist belongs to the whole field.
  if (row === undefined) return { ...problem, row: undefined, part: undefined, was: textAt(values, field) };
  const id = idOf(row);
  const known = part !== undefined && partOf(row, part) !== undefined ? part : undefined;
  return { ...problem, row: id, part: known, was: textAt(values, field, id, known) };
}

function textAt(values: object, field: string, row?: string, part?: string): string {
  if (row === undefined) return JSON.stringify(new Map(Object.entries(values)).get(field)) ?? '';
  const item = listAt(values, field)?.find((other) => idOf(other) === row);
  return JSON.stringify(part === undefined ? item : partOf(item, part)) ?? '';
}

function listAt(values: object, field: string): readonly unknown[] | undefined {
  const value: unknown = new Map<string, unknown>(Object.entries(values)).get(field);
  return Array.isArray(value) ? value : undefined;
}

function partOf(row: unknown, part: string): unknown {
  return typeof row === 'object' && row !== null ? new Map<string, unknown>(Object.entries(row)).get(part) : undefined;
}

/** Returns the id of a row. A row that is a text is its own id. */
function idOf(row: unknown): string {
  return typeof row === 'string' ? row : String(partOf(row, 'id'));
}

/** Returns the name of a row. A refusal names the rows of a map. */
function nameOf(row: unknown): unknown {
  const name = partOf(row, 'name');
  return typeof name === 'string' ? name.trim() : undefined;
}
