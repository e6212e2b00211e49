import { useEffect, useState } from 'react';
import { fieldProblems, type RefusedField } from '../session/problems.ts';

/** A problem, the cell of the form that it is about (its field, row and part as JSON), and the value that was refused there. */
type Refused = RefusedField & { readonly cell: string; readonly was: string | undefined };

/** The problems of a form. A problem remains until its field changes, or the equal field that caused the refusal. */
export type Problems = {
  /** The problem of a field, or in a list, of the row with this id or of one part of it. A row that is a text is its own id. */
  readonly of: (field: string, row?: string, part?: string) => string | undefined;
  /** Stores the problems that a refusal reports for fields. @returns whether the form shows each of them, and at least one */
  readonly refuse: (error: unknown) => boolean;
  readonly clear: () => void;
};

/** Empty values of several rows do not count as equal, because each row needs a value. */
const EMPTY = JSON.stringify('');

/** Keeps the problems of a form, and moves the focus to the first wrong field. @param values the form's values; lists contain texts or rows with an `id` */
export function useProblems(values: object): Problems {
  const [refusedCells, setRefused] = useState<readonly Refused[]>([]);
  useEffect(() => {
    if (refusedCells.length > 0) document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus();
  }, [refusedCells]);
  const cells = cellsOf(values);
  /** The cells in which the form can show a problem: those for which this render of it has called `of`. */
  const shownCells = new Set<string>();
  // Two rows with the same value were refused because of each other. A correction of one of them corrects both.
  const isSame = (one: Refused, other: Refused) =>
    one === other ||
    (one.field === other.field && one.text === other.text && one.was === other.was && one.was !== EMPTY);
  const current = refusedCells.filter((one) =>
    refusedCells.every((other) => !isSame(one, other) || cells.get(other.cell) === other.was),
  );
  return {
    of: (...path) => {
      shownCells.add(cellAt(path));
      return current.find(({ cell }) => cell === cellAt(path))?.text;
    },
    refuse: (error) => {
      const problems = fieldProblems(error);
      const located = problems.map((problem) => ({ ...problem, cell: cellOf(values, problem) }));
      setRefused(located.map((problem) => ({ ...problem, was: cells.get(problem.cell) })));
      return located.length > 0 && located.every(({ cell }) => shownCells.has(cell));
    },
    clear: () => setRefused([]),
  };
}

const cellAt = (path: readonly (string | undefined)[]) => JSON.stringify(path);

function cellsOf(values: object): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const [field, value] of Object.entries(values)) {
    cells.set(cellAt([field]), JSON.stringify(value));
    for (const row of rowsOf(value)) {
      cells.set(cellAt([field, row.id]), JSON.stringify(row));
      for (const [part, value] of Object.entries(row)) cells.set(cellAt([field, row.id, part]), JSON.stringify(value));
    }
  }
  return cells;
}

/** Returns the cell of a problem. A refusal names a row by its index. What the form does not have belongs to the row or the field. */
function cellOf(values: object, { field, row: rowIndex, part }: RefusedField): string {
  const rows = rowsOf(new Map<string, unknown>(Object.entries(values)).get(field));
  const row = rows[Number(rowIndex)];
  if (row === undefined) return cellAt([field]);
  return cellAt(part !== undefined && Object.hasOwn(row, part) ? [field, row.id, part] : [field, row.id]);
}

type Row = { readonly id: string };

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.map((row) => (typeof row === 'string' ? { id: row } : row)) : [];
}
