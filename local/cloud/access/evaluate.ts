import { type ConditionKeys, conditionsHold } from './conditions.ts';
import type { PolicyStatement } from './policy-document.ts';
import { matchesWildcard } from './wildcards.ts';

/** A call that a caller wants to make. */
export type AccessRequest = {
  /** `dynamodb:PutItem` */
  readonly action: string;
  readonly resource: string;
  readonly keys: ConditionKeys;
};

export type Verdict =
  | { readonly effect: 'allow'; readonly statement: PolicyStatement }
  | { readonly effect: 'deny' }
  | { readonly effect: 'silent' };

/**
 * Evaluates a request against statements. One Deny overrides every Allow.
 */
export function evaluate(statements: readonly PolicyStatement[], request: AccessRequest): Verdict {
  let allowed: PolicyStatement | undefined;
  for (const statement of statements) {
    if (!appliesTo(statement, request)) continue;
    if (statement.Effect === 'Deny') return { effect: 'deny' };
    allowed ??= statement;
  }
  return allowed === undefined ? { effect: 'silent' } : { effect: 'allow', statement: allowed };
}

/**
 * Returns the statements of a resource policy that apply to a caller.
 * @param service undefined for a caller that is no service of AWS
 */
export const statementsAbout = (
  statements: readonly PolicyStatement[],
  service: string | undefined,
): readonly PolicyStatement[] =>
  statements.filter(({ Principal: named }) => {
    if (named === undefined) return false;
    return 'Service' in named ? named.Service === service : true;
  });

function appliesTo({ Action, Resource, Condition }: PolicyStatement, request: AccessRequest): boolean {
  return (
    Action.some((pattern) => matchesWildcard(pattern, request.action, { ignoreCase: true })) &&
    Resource?.some((pattern) => matchesWildcard(pattern, request.resource, { ignoreCase: false })) !== false &&
    conditionsHold(Condition, request.keys)
  );
}
