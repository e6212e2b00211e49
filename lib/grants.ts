import { Annotations, type IResource, type Stack, Token, TokenComparison } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import { Construct, DependencyGroup, type IConstruct, type IDependable } from 'constructs';

type Permission = {
  readonly grantee: iam.IGrantable;
  readonly actions: string[];
  readonly resourceArns: string[];
  readonly conditions?: Record<string, Record<string, unknown>>;
};

/**
 * Grants by the policy of the principal, and by that of the resource where the principal's own does not count or is not ours to change. The
 * grant has succeeded only when a policy of the template says so; otherwise a warning does. It asks no constructor of anything: an app may have several copies of aws-cdk-lib.
 * @param allow enters the principal into the policy of the resource; undefined when the app cannot change that policy
 */
export function grantOn(
  resource: IResource,
  { grantee, ...permission }: Permission,
  allow: ((principal: iam.IPrincipal) => IDependable | undefined) | undefined,
): iam.Grant {
  const principal = grantee.grantPrincipal;
  const { principalAccount: account } = principal;
  const accountComparison = account === undefined ? undefined : Token.compareStrings(resource.env.account, account);
  const isSameAccount =
    accountComparison === TokenComparison.SAME || accountComparison === TokenComparison.BOTH_UNRESOLVED;
  const isAllowable = allow !== undefined && canBeNamed(principal);
  const identity = policyHolder(principal);
  const isImported = Construct.isConstruct(identity) && !isOfApp(identity);
  if (Construct.isConstruct(identity) && !isImported) refuseElsewhere(identity, resource.stack);
  // A policy for an imported role goes into this account, where a role of another account is not, or is another one of that name.
  const isPolicyOurs =
    !isImported || isSameAccount || (accountComparison !== TokenComparison.DIFFERENT && !isAllowable);

  // The CDK asks this principal in the place of the grantee's, and it enters the statement into the policies that count.
  const standIn: iam.IPrincipal = {
    assumeRoleAction: principal.assumeRoleAction,
    get grantPrincipal() {
      return standIn;
    },
    get policyFragment() {
      return principal.policyFragment;
    },
    addToPrincipalPolicy: (statement) => {
      const { policyDependable: changedPolicy } = isPolicyOurs ? principal.addToPrincipalPolicy(statement) : {};
      // A principal whose policy cannot change says that it has taken the statement. One that is imported returns the policy that has it.
      const isTaken = isImported ? Construct.isConstruct(changedPolicy) : fragmentOf(principal) !== undefined;
      const own = isTaken ? changedPolicy : undefined;
      const ofResource = isAllowable && !(own !== undefined && isSameAccount) ? allow(principal) : undefined;
      const policies = [own, ofResource].filter((policy) => policy !== undefined);
      return { statementAdded: policies.length > 0, policyDependable: new DependencyGroup(...policies) };
    },
  };
  const grant = iam.Grant.addToPrincipal({ grantee: standIn, ...permission });
  if (!grant.success) {
    const statement = new iam.PolicyStatement({ actions: permission.actions, resources: permission.resourceArns });
    const missingStatement = JSON.stringify(resource.stack.resolve(statement.toStatementJson()));
    Annotations.of(resource).addWarningV2(
      'va-wave:nothingGranted',
      `Nothing was granted. Add to a policy: ${missingStatement}`,
    );
  }
  return grant;
}

/** Refuses a role that the app creates in another account or region when neither it nor what is granted has a name that both templates could have. @throws Error with the way out */
function refuseElsewhere({ node, stack: granteeStack }: IConstruct & { readonly stack?: Stack }, stack: Stack): void {
  if (granteeStack === undefined || granteeStack.environment === stack.environment) return;
  // The CDK carries names between regions of an account where both stacks ask for it.
  const areReferencesCarried = [granteeStack, stack].every(({ _crossRegionReferences: isCarried }) => isCarried);
  if (areReferencesCarried && granteeStack.account === stack.account) return;
  const place = `${granteeStack.environment} and the stack ${stack.stackName} in ${stack.environment}`;
  throw new Error(
    `${node.path} is in ${place}: grant to Role.fromRoleArn(stack, id, <ARN of the role, with a name of yours>), and add what the warning names to the policy of the role`,
  );
}

/** What has the policy, without the conditions and session tags that a principal may add. */
const policyHolder = (principal: iam.IPrincipal): unknown => ('wrapped' in principal ? principal.wrapped : principal);
/** Whether the app creates the resource of a construct: an imported construct has none, and `Role.withoutPolicyUpdates()` has that of the role. */
export const isOfApp = (made: IConstruct): boolean => made.node.defaultChild?.node.scope === made;

/** Whether the policy of a resource can name the principal: it cannot name a group, somebody with a foreign login, or nobody. */
function canBeNamed(principal: iam.IPrincipal): boolean {
  const { principalJson } = fragmentOf(principal) ?? { principalJson: {} };
  const principalEntries = Object.entries(principalJson);
  return (
    principalEntries.length > 0 &&
    principalEntries.every(([kind, ids]) => /^(AWS|Service)$/.test(kind) && !/:group\b/.test(String(ids)))
  );
}

/** Returns the principals that a permission of a function names, one each: the parts of a composite, or the principal itself. */
export function principalsOf(principal: iam.IPrincipal): readonly iam.IPrincipal[] {
  const { principalJson, conditions = {} } = fragmentOf(principal) ?? { principalJson: {} };
  // A part would be without the conditions of the whole.
  if (Object.keys(conditions).length > 0) return [principal];
  const parts = Object.entries(principalJson).flatMap(([kind, ids]) =>
    [ids]
      .flat()
      .map(String)
      .map((id) => (kind === 'Service' ? new iam.ServicePrincipal(id) : new iam.ArnPrincipal(id))),
  );
  return parts.length > 1 ? parts : [principal];
}

/** Returns how a policy names the principal; undefined when the CDK throws, because no policy can name it. */
function fragmentOf(principal: iam.IPrincipal): iam.PrincipalPolicyFragment | undefined {
  try {
    return principal.policyFragment;
  } catch {
    return undefined;
  }
}
