import { CloudError } from '../cloud-error.ts';
import { type ConditionKeys, conditionsHold, requireKnownConditions } from './conditions.ts';
import type { PolicyStatement } from './policy-document.ts';
import { matchesWildcard } from './wildcards.ts';

/** One thing that somebody wants to do. */
export type AccessRequest = {
  /** `dynamodb:PutItem` */
  readonly action: string;
  readonly resource: string;
  readonly keys: ConditionKeys;
};

/** Who asks, as a resource policy names them. */
export type PolicyPrincipal = { readonly kind: 'AWS' | 'Service'; readonly id: string };

export type Verdict =
  | { readonly effect: 'allow'; readonly statement: PolicyStatement }
  | { readonly effect: 'deny' }
  | { readonly effect: 'silent' };

/** Services whose calls reach the gateway. A policy about another could never be tested here, so it stops the start. */
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
 * What a list of statements says about a request: one Deny outweighs every Allow.
 * @param principal given for a resource policy, whose statements each name whom they are about
 */
export function evaluate(
  statements: readonly PolicyStatement[],
  request: AccessRequest,
  principal?: PolicyPrincipal,
): Verdict {
  let allowed: PolicyStatement | undefined;
  for (const statement of statements) {
    if (principal !== undefined && !isAbout(statement, principal)) continue;
    if (!appliesTo(statement, request)) continue;
    if (statement.Effect === 'Deny') return { effect: 'deny' };
    allowed ??= statement;
  }
  return allowed === undefined ? { effect: 'silent' } : { effect: 'allow', statement: allowed };
}

/** @throws CloudError when a statement holds something that the gateway could not judge */
export function requireKnownStatement(statement: PolicyStatement, where: string): void {
  requireKnownConditions(statement.Condition, where);
  for (const action of [...(statement.Action ?? []), ...(statement.NotAction ?? [])]) {
    const service = action.split(':')[0] ?? '';
    if (action !== '*' && !KNOWN_SERVICES.has(service)) {
      throw new CloudError(`${where}: the one-machine cloud does not know the action ${action}`);
    }
  }
  for (const resource of [...(statement.Resource ?? []), ...(statement.NotResource ?? [])]) {
    if (resource.includes('${')) throw new CloudError(`${where}: policy variables are not known (${resource})`);
  }
}

function appliesTo(statement: PolicyStatement, request: AccessRequest): boolean {
  const action = (pattern: string) => matchesWildcard(pattern, request.action, { ignoreCase: true });
  const resource = (pattern: string) => matchesWildcard(pattern, request.resource, { ignoreCase: false });
  const { Action, NotAction, Resource, NotResource } = statement;
  if (Action !== undefined && !Action.some(action)) return false;
  if (NotAction?.some(action) === true) return false;
  if (Resource !== undefined && !Resource.some(resource)) return false;
  if (NotResource?.some(resource) === true) return false;
  if (Action === undefined && NotAction === undefined) return false;
  return conditionsHold(statement.Condition, request.keys);
}

function isAbout(statement: PolicyStatement, principal: PolicyPrincipal): boolean {
  const named = statement.Principal;
  if (named === undefined) return false;
  if (named.AWS?.includes('*') === true && named.Service === undefined) return true;
  return (principal.kind === 'AWS' ? named.AWS : named.Service)?.includes(principal.id) === true;
}
