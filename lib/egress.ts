import { Fn, Tags } from 'aws-cdk-lib';
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
    const { vpc, vpcSubnets, addresses } =
      existingNetwork.vpc === undefined
        ? this.#newNetwork(stage)
        : { vpc: existingNetwork.vpc, vpcSubnets: existingNetwork.vpcSubnets, addresses: undefined };
    this.addresses = addresses;
    this.placement = {
      vpc,
      vpcSubnets: vpcSubnets ?? { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS },
      securityGroups: [...(existingNetwork.securityGroups ?? [this.#newGroup(vpc)])],
    };
  }

  /** Creates the network of its parts, because `Vpc` of the CDK asks AWS for the zones of an account that the synthesis knows. */
  #newNetwork(stage: Stage) {
    const scope = new Construct(this, 'Vpc');
    Tags.of(scope).add('Name', scope.node.path);
    const { ref: vpcId } = new ec2.CfnVPC(scope, 'Resource', {
      cidrBlock: '10.0.0.0/16',
      enableDnsHostnames: true,
      enableDnsSupport: true,
    });
    const { ref: internetGatewayId } = new ec2.CfnInternetGateway(scope, 'IGW');
    const attachment = new ec2.CfnVPCGatewayAttachment(scope, 'VPCGW', { vpcId, internetGatewayId });
    const zones = Array.from({ length: ZONES }, (_, index) => {
      const zone = index + 1;
      const eip = new ec2.CfnEIP(this, `Address${zone}`, { domain: 'vpc' });
      // Customers allow this address in their firewalls. After a release, AWS may give it to another account.
      eip.applyRemovalPolicy(stage.removalPolicy);
      const place = { vpcId, availabilityZone: Fn.select(index, Fn.getAzs()), mapPublicIpOnLaunch: false };
      const ofGateway = { ...place, cidrBlock: `10.0.${index}.0/24` };
      const gatewaySubnet = new ec2.PublicSubnet(scope, `GatewaysSubnet${zone}`, ofGateway);
      gatewaySubnet.addDefaultInternetRoute(internetGatewayId, attachment);
      const ofFunctions = { ...place, cidrBlock: `10.0.${64 * zone}.0/18` };
      const subnet = new ec2.PrivateSubnet(scope, `FunctionsSubnet${zone}`, ofFunctions);
      subnet.addDefaultNatRoute(gatewaySubnet.addNatGateway(eip.attrAllocationId).ref);
      return { availabilityZone: place.availabilityZone, subnet, address: eip.attrPublicIp };
    });
    const availabilityZones = zones.map(({ availabilityZone }) => availabilityZone);
    const vpc = ec2.Vpc.fromVpcAttributes(scope, 'Network', { vpcId, availabilityZones });
    const vpcSubnets = { subnets: zones.map(({ subnet }) => subnet) };
    // A gateway endpoint is free. The NAT gateways would charge this traffic by the gigabyte.
    const service = ec2.GatewayVpcEndpointAwsService.DYNAMODB;
    new ec2.GatewayVpcEndpoint(scope, 'DynamoDb', { vpc, service, subnets: [vpcSubnets] });
    new ec2.FlowLog(scope, 'Rejected', {
      resourceType: ec2.FlowLogResourceType.fromVpc(vpc),
      trafficType: ec2.FlowLogTrafficType.REJECT,
      destination: ec2.FlowLogDestination.toCloudWatchLogs(new LogGroup(this, 'FlowLog', stage.logs)),
    });
    return { vpc, vpcSubnets, addresses: zones.map(({ address }) => address) };
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
