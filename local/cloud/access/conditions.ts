import { CloudError } from '../cloud-error.ts';
import type { PolicyStatement } from './policy-document.ts';
import { matchesArn } from './wildcards.ts';

/** Condition keys of one request, in lower case. A key without a value is absent from the request. */
export type ConditionKeys = Readonly<Record<string, string | undefined>>;

/** The keys whose values the gateway knows. The local cloud does not start with a policy that uses another key. */
const KNOWN_KEYS: ReadonlySet<string> = new Set(['aws:securetransport', 'aws:sourcearn']);

/** Operators, which compare an expected value with the request's. The local cloud does not start with another operator. */
const OPERATORS: Readonly<Record<string, (expected: string, actual: string) => boolean>> = {
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
  Bool: (expected, actual) => expected.toLowerCase() === actual.toLowerCase(),
};

/** Whether every condition of a statement holds for a request: for each key one of the expected values. */
export function conditionsHold(conditions: PolicyStatement['Condition'], keys: ConditionKeys): boolean {
  return Object.entries(conditions).every(([operator, tests]) =>
    Object.entries(tests).every(([key, expected]) => {
      const actual = keys[key.toLowerCase()];
      return actual !== undefined && expected.some((text) => OPERATORS[operator]?.(text, actual) === true);
    }),
  );
}

/** @throws CloudError when a condition names an operator or a key that the gateway cannot judge */
export function requireKnownConditions(conditions: PolicyStatement['Condition'], where: string): void {
  for (const [operator, tests] of Object.entries(conditions)) {
    if (!Object.hasOwn(OPERATORS, operator)) {
      throw new CloudError(`${where}: the local cloud does not know the condition operator ${operator}`);
    }
    for (const key of Object.keys(tests)) {
      if (!KNOWN_KEYS.has(key.toLowerCase())) {
        throw new CloudError(`${where}: the local cloud does not know the condition key ${key}`);
      }
    }
  }
}
