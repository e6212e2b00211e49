import { CloudError } from '../cloud-error.ts';
import type { PolicyStatement } from './policy-document.ts';
import { matchesArn, matchesWildcard } from './wildcards.ts';

/** Condition keys of one request, in lower case. A key without a value is absent from the request. */
export type ConditionKeys = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The keys whose values the gateway can tell. A policy that asks for another stops the start. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'aws:securetransport',
  'aws:sourcearn',
  'aws:sourceaccount',
  'aws:principalarn',
  'aws:principalaccount',
  'aws:requestedregion',
  'dynamodb:leadingkeys',
  'events:source',
  'events:detail-type',
]);

type Test = (expected: string, actual: string) => boolean;

const like: Test = (expected, actual) => matchesWildcard(expected, actual, { ignoreCase: false });
const equals: Test = (expected, actual) => expected === actual;
const ignoreCase: Test = (expected, actual) => expected.toLowerCase() === actual.toLowerCase();

/** Positive operators: one of the expected values must fit. */
const POSITIVE: Readonly<Record<string, Test>> = {
  StringEquals: equals,
  StringEqualsIgnoreCase: ignoreCase,
  StringLike: like,
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
  Bool: ignoreCase,
  NumericEquals: (expected, actual) => Number(actual) === Number(expected),
  NumericLessThan: (expected, actual) => Number(actual) < Number(expected),
  NumericLessThanEquals: (expected, actual) => Number(actual) <= Number(expected),
  NumericGreaterThan: (expected, actual) => Number(actual) > Number(expected),
  NumericGreaterThanEquals: (expected, actual) => Number(actual) >= Number(expected),
};

/** Negated operators: none of the expected values may fit; an absent key passes. */
const NEGATED: Readonly<Record<string, Test>> = {
  StringNotEquals: equals,
  StringNotEqualsIgnoreCase: ignoreCase,
  StringNotLike: like,
  ArnNotEquals: matchesArn,
  ArnNotLike: matchesArn,
  NumericNotEquals: (expected, actual) => Number(actual) === Number(expected),
};

type Operator = { readonly name: string; readonly quantifier: 'any' | 'all' | undefined; readonly ifExists: boolean };

/** Whether every condition of a statement holds for a request. */
export function conditionsHold(conditions: PolicyStatement['Condition'], keys: ConditionKeys): boolean {
  return Object.entries(conditions).every(([operator, tests]) =>
    Object.entries(tests).every(([key, expected]) => holds(parseOperator(operator), expected, keys[key.toLowerCase()])),
  );
}

/** @throws CloudError when a condition names an operator or a key that the gateway cannot judge */
export function requireKnownConditions(conditions: PolicyStatement['Condition'], where: string): void {
  for (const [operator, tests] of Object.entries(conditions)) {
    const { name } = parseOperator(operator);
    if (POSITIVE[name] === undefined && NEGATED[name] === undefined && name !== 'Null') {
      throw new CloudError(`${where}: the one-machine cloud does not know the condition operator ${operator}`);
    }
    for (const key of Object.keys(tests)) {
      if (!KNOWN_KEYS.has(key.toLowerCase())) {
        throw new CloudError(`${where}: the one-machine cloud does not know the condition key ${key}`);
      }
    }
  }
}

function parseOperator(text: string): Operator {
  const ifExists = text.endsWith('IfExists');
  const bare = ifExists ? text.slice(0, -'IfExists'.length) : text;
  const [first = '', second] = bare.split(':');
  if (second === undefined) return { name: first, quantifier: undefined, ifExists };
  return { name: second, quantifier: first === 'ForAnyValue' ? 'any' : 'all', ifExists };
}

function holds(operator: Operator, expected: readonly string[], actual: ConditionKeys[string]): boolean {
  if (operator.name === 'Null') return expected.includes(String(actual === undefined));
  if (actual === undefined) {
    return operator.ifExists || operator.quantifier === 'all' || NEGATED[operator.name] !== undefined;
  }
  const values = typeof actual === 'string' ? [actual] : actual;
  const one = (value: string): boolean => {
    const negated = NEGATED[operator.name];
    if (negated !== undefined) return !expected.some((text) => negated(text, value));
    const positive = POSITIVE[operator.name];
    return positive !== undefined && expected.some((text) => positive(text, value));
  };
  return operator.quantifier === 'all' ? values.every(one) : values.some(one);
}
