import { Validations } from 'aws-cdk-lib';
import {
  CfnEIP,
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  NatProvider,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { FunctionProps } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Stage } from './stage.ts';

/** One NAT gateway in each: a zone that fails takes half the addresses with it, not the service. */
const ZONES = 2;

export type EgressProps = { readonly stage: Stage };

/**
 * A network whose way out has fixed addresses, for customers who allow requests by address. Only the functions that make
 * outbound requests live in it.
 */
export class Egress extends Construct {
  /** Properties of a function that lives in this network. */
  readonly placement: Pick<FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;
  /** Where outbound requests come from. */
  readonly addresses: readonly string[];

  constructor(scope: Construct, id: string, props: EgressProps) {
    super(scope, id);
    const eips = Array.from({ length: ZONES }, (_, zone) => {
      const eip = new CfnEIP(this, `Address${zone + 1}`, { domain: 'vpc' });
      // Customers have written it down: once released, it is somebody else's.
      eip.applyRemovalPolicy(props.stage.removalPolicy);
      return eip;
    });
    this.addresses = eips.map((eip) => eip.attrPublicIp);
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.0.0.0/16'),
      maxAzs: ZONES,
      natGateways: ZONES,
      natGatewayProvider: NatProvider.gateway({ eipAllocationIds: eips.map((eip) => eip.attrAllocationId) }),
      subnetConfiguration: [
        { name: 'Gateways', subnetType: SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
        { name: 'Functions', subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 18 },
      ],
      // The busiest traffic costs nothing on this way; through the NAT gateways it is paid by the gigabyte.
      gatewayEndpoints: { DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB } },
      flowLogs: {
        Rejected: {
          trafficType: FlowLogTrafficType.REJECT,
          destination: FlowLogDestination.toCloudWatchLogs(
            new LogGroup(this, 'FlowLog', {
              retention: props.stage.logRetention,
              removalPolicy: props.stage.removalPolicy,
            }),
          ),
        },
      },
    });
    const securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'The outbound functions of va-wave: to any port of the world, from nowhere',
      allowAllOutbound: false,
    });
    // An Action's URL may name any port.
    securityGroup.addEgressRule(Peer.anyIpv4(), Port.allTcp());
    securityGroup.addEgressRule(Peer.anyIpv4(), Port.udp(53));
    this.placement = {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      securityGroups: [securityGroup],
    };
  }

  /** What Lambda needs in order to put a function into the network, withheld from the function's own code. */
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
        // Lambda names the function only when its code asks.
        conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
      }),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'Lambda checks these calls without naming a network interface; code of the function is denied them.',
    });
  }
}
