import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { FunctionProps } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledged-findings.ts';
import type { ExistingNetworkIds } from './deployment-options.ts';

/** The network of a function that makes outbound requests. */
export type Placement = Pick<FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

/** A network that exists already, such as that of an organization with central outbound traffic. Its owner decides from which addresses requests come. */
export function existingNetwork(
  stack: Construct,
  { vpcId, subnetIds, securityGroupIds }: ExistingNetworkIds,
): Placement {
  const scope = new Construct(stack, 'Network');
  // The ids are enough for a function. A look-up would write the account's data into the repository, and the region into the template.
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId,
    availabilityZones: subnetIds.map((_, index) => `zone ${index + 1}`),
    privateSubnetIds: [...subnetIds],
  });
  return {
    vpc,
    vpcSubnets: { subnets: vpc.privateSubnets },
    securityGroups: securityGroupIds.map((groupId) => SecurityGroup.fromSecurityGroupId(scope, groupId, groupId)),
  };
}

/** Allows Lambda to attach a function to a network, and denies the same calls to the code of the function. */
export function allowInterfaces(role: Role): void {
  const calls = {
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resources: ['*'],
  };
  role.addToPolicy(new PolicyStatement(calls));
  // Lambda sets this condition key only when the code of the function makes the call.
  const conditions = { Null: { 'lambda:SourceFunctionArn': 'false' } };
  role.addToPolicy(new PolicyStatement({ ...calls, effect: Effect.DENY, conditions }));
  const reason =
    'Lambda checks these calls without naming a network interface; the code of the function is denied these calls.';
  acknowledge(role, reason, 'IAM5[Resource::*]');
}
