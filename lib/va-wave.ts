import { readFileSync } from 'node:fs';
import { Annotations, CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { AccountPrincipal, ArnPrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import * as z from 'zod';
import { ACCESS_LOG_OUTPUT, logOutput, OUTPUTS } from '../src/deployment/outputs.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import { Alarms } from './alarms.ts';
import { Api } from './api.ts';
import { AssistantRuntime } from './assistant-runtime.ts';
import type { Replacements } from './bundles.ts';
import { Canary } from './canary.ts';
import { notesOnCapacity, shareConcurrency } from './concurrency.ts';
import { Dashboard } from './dashboard.ts';
import { Deliveries, ROUTER_TIMEOUT } from './deliveries.ts';
import type { DeploymentOptions, ExistingNetworkIds } from './deployment-options.ts';
import { Edge } from './edge.ts';
import { Egress } from './egress.ts';
import type { Foundation } from './foundation.ts';
import { Keys } from './keys.ts';
import { Login } from './login.ts';
import { Messaging } from './messaging.ts';
import { Monitoring } from './monitoring.ts';
import { encryptWithOwnKey } from './own-key.ts';
import { Releases } from './releases.ts';
import { ONE_ATTEMPT_TIMEOUT, type Placement, ServiceFunction } from './service-function.ts';
import { archiveDaysOf, STAGES, type Stage } from './stage.ts';
import { Tables } from './tables.ts';
import { WidgetRoutes } from './widget-routes.ts';

export type VaWaveStackProps = StackProps &
  DeploymentOptions & {
    /** Commit of the repository from which the stack is made, for the output and a tag of each function. @default none */
    readonly commit?: string | undefined;
    /** Address before the path of a file of the repository, for the alarms. @default the path alone */
    readonly addressOfFiles?: string;
    /** Modules of the functions that differ from a deployment. Only the one-machine service and tests set it. @default none */
    readonly replacements?: Replacements;
  };

const { version: VERSION } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

/** The stack of the whole service. Each feature creates its own functions, with their grants and alarms, on a common foundation. */
export class VaWaveStack extends Stack {
  constructor(scope: Construct, id: string, props: VaWaveStackProps = {}) {
    const ofStage = STAGES[props.stage ?? 'prod'];
    const stage: Stage = { ...ofStage, gradual: Boolean(props.gradual), replacements: props.replacements ?? {} };
    super(scope, id, {
      description: 'va-wave: chat widget authentication and signed outbound requests',
      terminationProtection: stage.deletionProtection,
      ...props,
    });
    const concurrency = shareConcurrency(props);
    for (const [id, note] of notesOnCapacity(props)) Annotations.of(this).addInfoV2(id, note);
    const alarms = new Alarms(this, 'Alarms', props);
    const tables = new Tables(this, 'Tables', { ...props, stage, alarms });
    const keys = new Keys(this, 'Keys', { ...props, stage, alarms });
    const platform = (props.platformAccounts ?? []).map((account) =>
      account.startsWith('arn:') ? new ArnPrincipal(account) : new AccountPrincipal(account),
    );
    const archiveDays = archiveDaysOf(
      props.eventArchive,
      props.deliveryLogRetentionDays ?? stage.deliveryLogRetentionDays,
    );
    const messaging = new Messaging(this, 'Messaging', {
      routerTimeout: ROUTER_TIMEOUT,
      alarms,
      platform,
      archiveDays,
    });
    const egress = props.fixedEgress ? new Egress(this, 'Egress', stage) : undefined;
    const network = props.existingNetwork ? existingNetwork(this, props.existingNetwork) : egress?.placement;
    const outbound = network === undefined ? {} : { network };
    const waiting = { ...outbound, timeout: ONE_ATTEMPT_TIMEOUT, reservedConcurrency: concurrency.waiting };
    const foundation: Foundation = { stage, alarms, tables, keys, messaging, outbound, waiting };

    const api = new Api(this, 'Api', { stage, alarms, requestsPerSecond: concurrency.requestsPerSecond });
    new WidgetRoutes(this, 'WidgetRoutes', { ...foundation, api, distributionOnly: props.webAclArn !== undefined });
    new Deliveries(this, 'Deliveries', { ...foundation, concurrency });
    const runtime = new AssistantRuntime(this, 'AssistantRuntime', { ...foundation, platform });
    const edge = new Edge(this, 'Edge', { ...props, stage, api: api.http, originSecret: keys.origin });
    const { baseUrl, distribution } = edge;
    const login = new Login(this, 'Login', { ...props, stage });
    const dashboard = new Dashboard(this, 'Dashboard', { ...foundation, login, api, edge });
    const canary =
      props.canary === true ? new Canary(this, 'Canary', { stage, alarms, messaging, baseUrl }) : undefined;
    const functions = this.node.findAll().filter((part) => part instanceof ServiceFunction);
    new Monitoring(this, 'Monitoring', {
      alarms,
      messaging,
      api: api.http,
      distribution,
      logs: functions.map(({ log }) => log),
      canary,
      accountConcurrency: concurrency.account,
    });
    if (props.tracing === true) for (const fn of functions) fn.trace();
    if (stage.gradual) {
      new Releases(this, 'Releases', { functions, alarms: props.gradual === true ? alarms.ofRelease : [] });
    }
    if (props.kmsKeyArn !== undefined) encryptWithOwnKey(this, props.kmsKeyArn);
    acknowledgeFindings(this);

    const version = props.commit === undefined ? VERSION : `${VERSION}+${props.commit}`;
    // On every resource, a tag would change them all with each commit.
    Tags.of(this).add('va-wave-version', version, { includeResourceTypes: ['AWS::Lambda::Function'] });
    this.#output(OUTPUTS.version, version);
    this.#output(OUTPUTS.baseUrl, baseUrl);
    this.#output(OUTPUTS.distributionDomain, distribution.distributionDomainName);
    this.#output(OUTPUTS.distributionId, distribution.distributionId);
    this.#output(OUTPUTS.widgetPinnedPath, edge.widget.immutablePath);
    this.#output(OUTPUTS.widgetIntegrity, edge.widget.integrity);
    this.#output(OUTPUTS.egressAddresses, egress?.addresses.join(', '));
    this.#output(OUTPUTS.apiUrl, api.http.apiEndpoint);
    this.#output(OUTPUTS.configurationTable, tables.configuration.table.tableName);
    this.#output(OUTPUTS.countersTable, tables.counters.table.tableName);
    this.#output(OUTPUTS.conversationsTable, tables.conversations.table.tableName);
    this.#output(OUTPUTS.deliveryLogTable, tables.deliveryLog.table.tableName);
    this.#output(OUTPUTS.eventBus, messaging.bus.eventBusName);
    this.#output(OUTPUTS.eventArchiveDays, archiveDays?.toString());
    this.#output(OUTPUTS.eventsQueue, messaging.events.queue.queueUrl);
    this.#output(OUTPUTS.eventsDeadLetters, messaging.events.deadLetters.queueUrl);
    this.#output(OUTPUTS.deliveriesQueue, messaging.deliveries.queue.queueUrl);
    this.#output(OUTPUTS.deliveriesDeadLetters, messaging.deliveries.deadLetters.queueUrl);
    this.#output(OUTPUTS.tokenKeys, keys.token.secretArn);
    this.#output(OUTPUTS.sealingKey, keys.sealing.secretArn);
    this.#output(OUTPUTS.originSecret, keys.origin.secretArn);
    this.#output(OUTPUTS.originSecretVersion, props.originSecretVersion);
    this.#output(OUTPUTS.canaryServerKey, canary?.serverKey.secretArn);
    this.#output(OUTPUTS.aiAction, runtime.aiAction.callable.functionName);
    this.#output(OUTPUTS.usageReport, runtime.usageReport.callable.functionName);
    this.#output(OUTPUTS.dashboardUrl, dashboard.url);
    this.#output(OUTPUTS.userPool, login.pool.userPoolId);
    this.#output(OUTPUTS.actionTest, dashboard.actionTest.callable.functionName);
    this.#output(ACCESS_LOG_OUTPUT, api.accessLog.logGroupName);
    for (const { name, log } of functions) this.#output(logOutput(name), log.logGroupName);
  }

  #output(name: string, value: string | undefined): void {
    if (value !== undefined) new CfnOutput(this, name, { value });
  }
}

/** A network that exists already, such as that of an organization with central outbound traffic. Its owner decides from which addresses requests come. */
function existingNetwork(stack: Construct, { vpcId, subnetIds, securityGroupIds }: ExistingNetworkIds): Placement {
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

/**
 * Returns the address of a page about a file in a repository, before its path; '' when the repository is not on the web. It has no user name and
 * no token of the remote's address.
 * @param remote as git has it, such as `git@github.com:owner/name.git`
 */
export function addressOfFiles(remote: string): string {
  const [, host, path] = /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w.-]+\.\w+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return host === undefined ? '' : `https://${host}/${path}/blob/HEAD/`;
}
