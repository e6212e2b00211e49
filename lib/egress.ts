import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { VaWaveProps } from './deployment-options.ts';
import type { Placement } from './service-function.ts';
import type { Stage } from './stage.ts';

/** Availability zones, each with a NAT gateway. If one zone fails, the service continues with the address of the other. */
const ZONES = 2;

type ExistingNetwork = Pick<VaWaveProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

/**
 * The network of the functions that make outbound requests: one that exists, whose owner decides from which addresses requests come, or a new one with
 * fixed addresses, for customers whose firewalls allow requests by address.
 */
export class Egress extends Construct {
  readonly placement: Placement;
  /** The addresses from which outbound requests come, in a new network. */
  readonly addresses: readonly string[] | undefined;

  constructor(scope: Construct, id: string, stage: Stage, existingNetwork: ExistingNetwork) {
    super(scope, id);
    const { vpc, addresses } =
      existingNetwork.vpc === undefined ? this.#newNetwork(stage) : { vpc: existingNetwork.vpc };
    this.addresses = addresses;
    this.placement = {
      vpc,
      vpcSubnets: existingNetwork.vpcSubnets ?? { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS },
      securityGroups: [...(existingNetwork.securityGroups ?? [this.#newGroup(vpc)])],
    };
  }

  #newNetwork(stage: Stage): { readonly vpc: ec2.IVpc; readonly addresses?: readonly string[] } {
    const eips = Array.from({ length: ZONES }, (_, zone) => {
      const eip = new ec2.CfnEIP(this, `Address${zone + 1}`, { domain: 'vpc' });
      // Customers allow this address in their firewalls. After a release, AWS may give it to another account.
      eip.applyRemovalPolicy(stage.removalPolicy);
      return eip;
    });
    const vpc = new ec2.Vpc(this, 'Vpc', {
      ipAddresses: ec2.IpAddresses.cidr('10.0.0.0/16'),
      maxAzs: ZONES,
      natGateways: ZONES,
      natGatewayProvider: ec2.NatProvider.gateway({ eipAllocationIds: eips.map((eip) => eip.attrAllocationId) }),
      subnetConfiguration: [
        { name: 'Gateways', subnetType: ec2.SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
        { name: 'Functions', subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 18 },
      ],
      // A gateway endpoint is free. The NAT gateways would charge this traffic by the gigabyte.
      gatewayEndpoints: { DynamoDb: { service: ec2.GatewayVpcEndpointAwsService.DYNAMODB } },
      flowLogs: {
        Rejected: {
          trafficType: ec2.FlowLogTrafficType.REJECT,
          destination: ec2.FlowLogDestination.toCloudWatchLogs(new LogGroup(this, 'FlowLog', stage.logs)),
        },
      },
    });
    return { vpc, addresses: eips.map((eip) => eip.attrPublicIp) };
  }

  #newGroup(vpc: ec2.IVpc): ec2.SecurityGroup {
    const securityGroup = new ec2.SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'Outbound functions of va-wave: all outbound ports, no inbound traffic',
      allowAllOutbound: false,
    });
    // The URL of an Action may contain any port, and names are looked up over UDP.
    securityGroup.addEgressRule(ec2.Peer.anyIpv4(), ec2.Port.allTcp());
    securityGroup.addEgressRule(ec2.Peer.anyIpv4(), ec2.Port.udp(53));
    return securityGroup;
  }
}
