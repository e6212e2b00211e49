import type { PolicyStatement } from './policy-document.ts';
import { matchesArn, matchesWildcard } from './wildcards.ts';

/** A call that a caller wants to make. */
export type AccessRequest = {
  /** `dynamodb:PutItem` */
  readonly action: string;
  readonly resource: string;
  /** Condition keys in lower case. */
  readonly keys: Readonly<Record<string, string>>;
};

/** Whether a statement is about this action on this resource under these conditions. */
export function appliesTo({ Action, Resource, Condition }: PolicyStatement, request: AccessRequest): boolean {
  return (
    Action.some((pattern) => matchesWildcard(pattern, request.action, { ignoreCase: true })) &&
    Resource?.some((pattern) => matchesWildcard(pattern, request.resource, { ignoreCase: false })) !== false &&
    conditionsHold(Condition, request.keys)
  );
}

/**
 * Whether a statement of a resource policy or trust policy is about a caller.
 * @param service undefined for a caller that is no service of AWS
 */
export function isAbout({ Principal }: PolicyStatement, service: string | undefined): boolean {
  return Principal !== undefined && (!('Service' in Principal) || Principal.Service === service);
}

/** Whether every condition holds: for each key one of the expected values. */
function conditionsHold(
  { ArnEquals, ArnLike, Bool }: PolicyStatement['Condition'],
  keys: AccessRequest['keys'],
): boolean {
  const hold = (tests: typeof ArnEquals, matches: (expected: string, actual: string) => boolean) =>
    Object.entries(tests ?? {}).every(([key, expected]) => {
      const actual = keys[key.toLowerCase()];
      return actual !== undefined && expected.some((text) => matches(text, actual));
    });
  return hold(ArnEquals, matchesArn) && hold(ArnLike, matchesArn) && hold(Bool, sameWord);
}

const sameWord = (expected: string, actual: string) => expected.toLowerCase() === actual.toLowerCase();
