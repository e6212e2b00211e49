import { CloudError } from '../cloud-error.ts';
import { type ConditionKeys, conditionsHold, requireKnownConditions } from './conditions.ts';
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

/** Services whose calls reach the gateway. The local cloud cannot test a policy about another service, so it refuses to start. */
const KNOWN_SERVICES: ReadonlySet<string> = new Set([
  'dynamodb',
  'sqs',
  'events',
  'secretsmanager',
  'lambda',
  'sns',
  'logs',
]);

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

/** Checks that the gateway can evaluate a statement. @throws CloudError when it cannot */
export function requireKnownStatement(statement: PolicyStatement, where: string): void {
  requireKnownConditions(statement.Condition, where);
  for (const action of statement.Action) {
    const service = action.split(':')[0] ?? '';
    if (action !== '*' && !KNOWN_SERVICES.has(service)) {
      throw new CloudError(`${where}: the local cloud does not know the action ${action}`);
    }
  }
  for (const resource of statement.Resource ?? []) {
    if (resource.includes('${')) throw new CloudError(`${where}: policy variables are not known (${resource})`);
  }
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
