import { Stack, Validations } from 'aws-cdk-lib';
import { CfnPolicy, CfnRole } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import * as z from 'zod';

/** Acknowledges findings of cdk-nag (AwsSolutions) about a construct and its parts. @param rules ids of its rules without their prefix, such as `S1` */
export function acknowledge(scope: IConstruct, reason: string, ...rules: readonly string[]): void {
  for (const rule of rules) Validations.of(scope).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}

/** A template has a list of one value as the value alone. */
const oneOrMany = z.union([z.array(z.unknown()), z.unknown().transform((one) => [one])]);
const policyDocument = z.object({ Statement: z.array(z.object({ Action: oneOrMany, Resource: oneOrMany })) });

// Roles and policies are known by their types and not by their classes: the app may have another copy of the CDK, which has other classes.
const roleResource = z.object({
  cfnResourceType: z.literal(CfnRole.CFN_RESOURCE_TYPE_NAME),
  managedPolicyArns: z.unknown().optional(),
});
const policyResource = z.object({
  cfnResourceType: z.literal(CfnPolicy.CFN_RESOURCE_TYPE_NAME),
  policyDocument: z.unknown().optional(),
});

/**
 * Acknowledges the managed policies of the roles below a construct (rule IAM4), and each wildcard that their statements have by now (rule IAM5). cdk-nag
 * names each finding by its value, which depends on the app: on its region, its flags and its bucket of assets.
 */
export function acknowledgePolicies(scope: IConstruct, reason: string): void {
  const stack = Stack.of(scope);
  for (const part of scope.node.findAll()) {
    const managedPolicies: unknown[] = stack.resolve(roleResource.safeParse(part).data?.managedPolicyArns) ?? [];
    const document: unknown = stack.resolve(policyResource.safeParse(part).data?.policyDocument);
    const { Statement } = document === undefined ? { Statement: [] } : policyDocument.parse(document);
    const findings = [
      ...managedPolicies.map((arn) => `IAM4[Policy::${asCdkNag(arn)}]`),
      ...Statement.flatMap(({ Action, Resource }) => [
        ...Action.map((action) => `IAM5[Action::${asCdkNag(action)}]`),
        ...Resource.map((resource) => `IAM5[Resource::${asCdkNag(resource)}]`),
      ]).filter((finding) => finding.includes('*')),
    ];
    acknowledge(scope, reason, ...new Set(findings));
  }
}

/** Writes a value of a template as cdk-nag does: `<Bucket.Arn>/*` for the joined text of a reference and the rest. */
function asCdkNag(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('${', '<').replaceAll('}', '>');
  const [[name, inner] = []] = Object.entries(z.record(z.string(), z.unknown()).parse(value));
  const parts = oneOrMany.parse(inner);
  if (name === 'Ref' || name === 'Fn::GetAtt') return `<${parts.map(asCdkNag).join('.')}>`;
  if (name === 'Fn::Join') return oneOrMany.parse(parts[1]).map(asCdkNag).join(asCdkNag(parts[0]));
  return name === 'Fn::Sub' || name === 'Fn::ImportValue' ? asCdkNag(parts[0]) : JSON.stringify(value);
}

/**
 * Acknowledges the findings about the functions that the CDK adds to the stack for AwsCustomResource (`AWS679f` begins its UUID) and BucketDeployment:
 * their policies, and a runtime that is not the newest (L1). A finding about a construct of this project is acknowledged where it is created.
 */
export function acknowledgeFindings(stack: Stack): void {
  for (const child of stack.node.children) {
    if (!/^(?:AWS679f|Custom::CDKBucketDeployment)/.test(child.node.id)) continue;
    const reason = 'The CDK brings this function along; it works at deploy time and serves no request.';
    acknowledge(child, reason, 'L1');
    acknowledgePolicies(child, reason);
  }
}
