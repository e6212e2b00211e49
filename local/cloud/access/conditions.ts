import type { PolicyStatement } from './policy-document.ts';
import { matchesArn } from './wildcards.ts';

type Conditions = PolicyStatement['Condition'];

/** Condition keys of one request, in lower case. A key without a value is absent from the request. */
export type ConditionKeys = Readonly<Record<string, string | undefined>>;

/** Whether every condition of a statement holds for a request: for each key one of the expected values. */
export function conditionsHold({ ArnEquals, ArnLike, Bool }: Conditions, keys: ConditionKeys): boolean {
  const hold = (tests: Conditions[keyof Conditions], matches: (expected: string, actual: string) => boolean) =>
    Object.entries(tests ?? {}).every(([key, expected]) => {
      const actual = keys[key.toLowerCase()];
      return actual !== undefined && expected.some((text) => matches(text, actual));
    });
  return hold(ArnEquals, matchesArn) && hold(ArnLike, matchesArn) && hold(Bool, sameWord);
}

const sameWord = (expected: string, actual: string) => expected.toLowerCase() === actual.toLowerCase();
