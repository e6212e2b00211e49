import { Validations } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { FunctionProps } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { ExistingNetworkIds } from './deployment-options.ts';

/** A network in which the functions run that make outbound requests. */
export abstract class Network extends Construct {
  /** Properties of a function that runs in this network. */
  abstract readonly placement: Pick<FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

  /** Allows Lambda to attach a function to the network, and denies the same calls to the code of the function. */
  allowInterfaces(role: Role): void {
    const actions = [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ];
    role.addToPolicy(new PolicyStatement({ actions, resources: ['*'] }));
    role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions,
        resources: ['*'],
        // Lambda sets this condition key only when the code of the function makes the call.
        conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
      }),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason:
        'Lambda checks these calls without naming a network interface; the code of the function is denied these calls.',
    });
  }
}

/** A network that exists already, such as that of an organization with central outbound traffic. Its owner decides from which addresses requests come. */
export class ExistingNetwork extends Network {
  readonly placement: Network['placement'];

  constructor(scope: Construct, id: string, { vpcId, subnetIds, securityGroupIds }: ExistingNetworkIds) {
    super(scope, id);
    // The ids are enough for a function. A look-up would write the account's data into the repository, and the region into the template.
    const vpc = Vpc.fromVpcAttributes(this, 'Vpc', {
      vpcId,
      availabilityZones: subnetIds.map((_, index) => `zone ${index + 1}`),
      privateSubnetIds: [...subnetIds],
    });
    this.placement = {
      vpc,
      vpcSubnets: { subnets: vpc.privateSubnets },
      securityGroups: securityGroupIds.map((groupId) => SecurityGroup.fromSecurityGroupId(this, groupId, groupId)),
    };
  }
}
