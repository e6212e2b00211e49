import { createHash } from 'node:crypto';
import { Annotations, CfnOutput, Duration, Names, Stack, Tags } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IDistribution } from 'aws-cdk-lib/aws-cloudfront';
import type { IAlarm, MathExpression, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { type Grant, type IGrantable, type IResourceWithPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, DependencyGroup } from 'constructs';
import { VERSION } from '#bundles';
import type { FailureCode } from '../src/contract/delivery-record.ts';
import { PUBLISHED_BY_US } from '../src/contract/events.ts';
import { EVENT_ATTEMPTS } from '../src/contract/limits.ts';
import { METRICS } from '../src/deployment/metrics.ts';
import {
  ACCESS_LOG_OUTPUT,
  type FunctionName,
  logOutput,
  OUTPUT_DESCRIPTIONS,
  OUTPUT_NAMES,
  OUTPUTS,
  type Output,
} from '../src/deployment/outputs.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import { Alarms, ownMetric, sum } from './alarms.ts';
import { RuntimeFunctions } from './assistant-runtime.ts';
import { Canary } from './canary.ts';
import { notesOnCapacity, shareConcurrency } from './concurrency.ts';
import { DashboardHosting } from './dashboard-hosting.ts';
import { DeliveryFunctions } from './delivery-functions.ts';
import { acceptedProps, type VaWaveProps } from './deployment-options.ts';
import { EdgeDistribution } from './edge-distribution.ts';
import { Egress } from './egress.ts';
import type { Foundation } from './foundation.ts';
import { grantOn, isOfApp, principalsOf } from './grants.ts';
import { KeyRings } from './key-rings.ts';
import { Messaging } from './messaging.ts';
import { Monitoring } from './monitoring.ts';
import { allowServices } from './own-key.ts';
import { makeAssetsReadable } from './readable-assets.ts';
import { Releases } from './releases.ts';
import { ServiceApi } from './service-api.ts';
import { ONE_ATTEMPT_TIMEOUT, ServiceFunction } from './service-function.ts';
import { archiveDaysOf, keepStage, SERVICE_NAME_MAX, STAGES, type Stage } from './stage.ts';
import { ServiceTables } from './tables.ts';
import { UserLogin } from './user-login.ts';
import { WidgetRoutes } from './widget-routes.ts';

export { METRICS, METRICS_NAMESPACE } from '../src/deployment/metrics.ts';
export { type FunctionName, OUTPUTS } from '../src/deployment/outputs.ts';
export type { VaWaveProps } from './deployment-options.ts';

/** Names a part of the attempts. The metric has each dimension by itself. */
export type AttemptsOfMetric =
  | { readonly outcome?: 'succeeded' | FailureCode | undefined; readonly attempt?: never; readonly trigger?: never }
  | { readonly attempt?: number | undefined; readonly outcome?: never; readonly trigger?: never }
  | { readonly trigger?: 'form' | 'ai' | 'usage' | undefined; readonly outcome?: never; readonly attempt?: never };

/** The whole service. Each feature creates its own functions, with their grants and alarms, on a common foundation. Nothing in it has a fixed name. */
export class VaWave extends Construct {
  /** Base address of the widget's file, the public routes and the dashboard. */
  readonly baseUrl: string;
  /** Takes the events of the platform, and has those that the service reports, with the source `va-wave`. */
  readonly bus: IEventBus;
  readonly api: IHttpApi;
  readonly distribution: IDistribution;
  /** The logins of the dashboard. */
  readonly userPool: IUserPool;
  /** Lists and calls AI-decided Actions. */
  readonly aiAction: IFunction;
  /** Reports the usage of a turn. */
  readonly usageReport: IFunction;
  /** All functions, as callers invoke them. */
  readonly functions: ReadonlyMap<FunctionName, IFunction>;
  readonly tables: Readonly<Record<'configuration' | 'counters' | 'conversations' | 'deliveryLog', ITable>>;
  /** The queues of events and of deliveries, each with the queue of its dead letters. */
  readonly queues: Readonly<Record<'events' | 'deliveries', { readonly queue: IQueue; readonly deadLetters: IQueue }>>;
  readonly alarms: readonly IAlarm[];
  readonly #stage: Stage;
  /** Statements that the grants have entered into the policy of the bus. */
  #statementsOfBus = 0;

  /** @throws Error that names each invalid prop and the values that it accepts */
  constructor(scope: Construct, id: string, givenProps: VaWaveProps = {}) {
    super(scope, id);
    const props = acceptedProps(givenProps, Stack.of(this).region);
    const { stage: stageName = 'prod' } = props;
    const defaults = STAGES[stageName];
    keepStage(this, stageName);
    const { encryptionKey } = props;
    const stage: Stage = {
      ...defaults,
      deliveryLogRetentionDays: props.deliveryLogRetentionDays ?? defaults.deliveryLogRetentionDays,
      service: Names.uniqueResourceName(this, {
        maxLength: SERVICE_NAME_MAX,
        separator: '-',
        allowedSpecialCharacters: '-',
      }),
      isGradual: Boolean(props.gradual), // Also for 'without-alarms', whose functions have aliases too.
      tracing: props.tracing === true,
      encryptionKey,
      logs: { ...defaults.logs, retention: props.logRetentionDays ?? defaults.logs.retention, encryptionKey },
    };
    this.#stage = stage;
    if (encryptionKey !== undefined) {
      allowServices(encryptionKey, { hasAlarmTopic: props.alarmTopic !== undefined });
    }
    const concurrency = shareConcurrency(props);
    for (const [id, note] of notesOnCapacity(props, Stack.of(this).region)) Annotations.of(this).addInfoV2(id, note);
    if (props.alarmTopic === undefined && stageName === 'prod') {
      Annotations.of(this).addWarningV2('va-wave:alarms', 'Alarms tell nobody: set alarmTopic');
    }
    const alarms = new Alarms(this, 'Alarms', props);
    const tables = new ServiceTables(this, 'Tables', { ...props, stage, alarms });
    const keys = new KeyRings(this, 'Keys', { ...props, stage, alarms });
    const archiveDays = archiveDaysOf(props.eventArchive, stage.deliveryLogRetentionDays);
    const messaging = new Messaging(this, 'Messaging', {
      stage,
      alarms,
      bus: props.bus,
      sources: props.eventSources,
      archiveDays,
    });
    const hasNetwork = props.fixedEgress === true || props.vpc !== undefined;
    const egress = hasNetwork ? new Egress(this, 'Egress', stage, props) : undefined;
    const network = egress?.placement;
    const forEndpointCalls: Foundation['forEndpointCalls'] = {
      ...network,
      timeout: ONE_ATTEMPT_TIMEOUT,
      reservedConcurrentExecutions: concurrency.waiting,
    };
    const foundation: Foundation = { stage, alarms, tables, keys, messaging, network, forEndpointCalls };

    const api = new ServiceApi(this, 'Api', { ...foundation, requestsPerSecond: concurrency.requestsPerSecond });
    new WidgetRoutes(this, 'WidgetRoutes', { ...foundation, api, distributionOnly: props.webAclArn !== undefined });
    new DeliveryFunctions(this, 'Deliveries', { ...foundation, concurrency });
    const runtime = new RuntimeFunctions(this, 'AssistantRuntime', foundation);
    const edge = new EdgeDistribution(this, 'Edge', {
      ...props,
      stage,
      api: api.http,
      originSecret: keys.originSecret,
    });
    const { baseUrl, distribution } = edge;
    const login = new UserLogin(this, 'Login', { ...props, stage, baseUrl });
    const dashboard = new DashboardHosting(this, 'Dashboard', { ...foundation, login, api, edge });
    const canary = props.canary === true ? new Canary(this, 'Canary', { ...foundation, baseUrl }) : undefined;
    const functions = this.node.findAll().filter((part) => part instanceof ServiceFunction);
    new Monitoring(this, 'Monitoring', {
      ...foundation,
      api: api.http,
      distribution,
      logs: functions.map(({ logGroup }) => logGroup),
      canary,
      accountConcurrency: concurrency.account,
    });
    if (stage.isGradual) {
      new Releases(this, 'Releases', { functions, alarms: alarms.ofRelease, endsByAlarm: props.gradual === true });
    }
    acknowledgeFindings(Stack.of(this));
    makeAssetsReadable(Stack.of(this));

    this.baseUrl = baseUrl;
    this.bus = messaging.bus;
    this.api = api.http;
    this.distribution = distribution;
    this.userPool = login.pool;
    this.aiAction = runtime.aiAction.callable;
    this.usageReport = runtime.usageReport.callable;
    this.tables = {
      configuration: tables.configuration.table,
      counters: tables.counters.table,
      conversations: tables.conversations.table,
      deliveryLog: tables.deliveryLog.table,
    };
    this.queues = messaging;
    this.alarms = alarms.all;
    this.functions = new Map(functions.map(({ name, callable }) => [name, callable]));

    const version = props.commit === undefined ? VERSION : `${VERSION}+${props.commit}`;
    // On every resource, a tag would change them all with each commit.
    Tags.of(this).add('va-wave-version', version, { includeResourceTypes: ['AWS::Lambda::Function'] });
    const outputs: Readonly<Record<Output, string | undefined>> = {
      version,
      baseUrl,
      distributionDomain: distribution.distributionDomainName,
      distributionId: distribution.distributionId,
      widgetPinnedPath: edge.widget.immutablePath,
      widgetIntegrity: edge.widget.integrity,
      egressAddresses: egress?.addresses?.join(', '),
      apiUrl: api.http.apiEndpoint,
      configurationTable: tables.configuration.table.tableName,
      countersTable: tables.counters.table.tableName,
      conversationsTable: tables.conversations.table.tableName,
      deliveryLogTable: tables.deliveryLog.table.tableName,
      eventBus: this.bus.eventBusName,
      eventArchiveDays: archiveDays?.toString(),
      eventsQueue: messaging.events.queue.queueUrl,
      eventsDeadLetters: messaging.events.deadLetters.queueUrl,
      deliveriesQueue: messaging.deliveries.queue.queueUrl,
      deliveriesDeadLetters: messaging.deliveries.deadLetters.queueUrl,
      tokenKeys: keys.tokenKeys.secretArn,
      sealingKey: keys.sealingKey.secretArn,
      originSecret: keys.originSecret.secretArn,
      originSecretVersion: props.originSecretVersion,
      canaryServerKey: canary?.serverKey.secretArn,
      aiAction: this.aiAction.functionName,
      usageReport: this.usageReport.functionName,
      dashboardUrl: dashboard.url,
      userPool: this.userPool.userPoolId,
      actionTest: dashboard.actionTest.callable.functionName,
    };
    for (const name of OUTPUT_NAMES) {
      const value = outputs[name];
      if (value !== undefined) new CfnOutput(this, OUTPUTS[name], { value, description: OUTPUT_DESCRIPTIONS[name] });
    }
    const logs = functions.map(({ name, logGroup }) => [logOutput(name), logGroup, `the function ${name}`] as const);
    for (const [id, log, writer] of [[ACCESS_LOG_OUTPUT, api.accessLog, 'the API'] as const, ...logs]) {
      new CfnOutput(this, id, { value: log.logGroupName, description: `Log group of ${writer}` });
    }
  }

  /**
   * Lets somebody put events on the bus, but not in the name of the service. Another account needs a bus of the same app, whose policy it enters, and a policy
   * of its own. When nothing could be granted, as with the other grants, `success` of the grant is false, and a warning names the statement.
   */
  grantPutEvents(grantee: IGrantable): Grant {
    const { bus } = this;
    const actions = ['events:PutEvents'];
    const resources = [bus.eventBusArn];
    // The key has the sources of all entries of a call, so it needs an operator of sets, which alone also holds without the key.
    const conditions = {
      'ForAllValues:StringNotEquals': { 'events:source': PUBLISHED_BY_US },
      Null: { 'events:source': 'false' },
    };
    const permission = { grantee, actions, resourceArns: resources, conditions };
    // The app cannot change the policy of an imported bus.
    if (!isPolicyOfApp(bus)) return grantOn(bus, permission, undefined);
    return grantOn(bus, permission, (principal) => {
      const sid = `${this.#stage.service}-${++this.#statementsOfBus}`;
      const statement = new PolicyStatement({ sid, principals: [principal], actions, resources, conditions });
      return bus.addToResourcePolicy(statement).policyDependable;
    });
  }

  /** Lets an assistant runtime list and call AI-decided Actions. */
  grantCallTools(grantee: IGrantable): Grant {
    return grantInvoke(this.aiAction, grantee);
  }

  /** Lets an assistant runtime report the usage of turns. */
  grantReportUsage(grantee: IGrantable): Grant {
    return grantInvoke(this.usageReport, grantee);
  }

  /**
   * Attempts: those with this outcome, which is `succeeded` or the code of a failure, those of this trigger (`form`, `ai` or `usage`), those of Event
   * deliveries of this number, from 1 to 3, or all of Event deliveries.
   */
  metricAttempts({
    outcome,
    attempt,
    trigger,
    ...options
  }: MetricOptions & AttemptsOfMetric = {}): Metric | MathExpression {
    if (outcome !== undefined) return this.#metric('attempts', 'Sum', options, { outcome });
    if (trigger !== undefined) return this.#metric('attempts', 'Sum', options, { trigger });
    if (attempt !== undefined) return this.#metric('attempts', 'Sum', options, { attempt: `${attempt}` });
    const numbers = Array.from({ length: EVENT_ATTEMPTS }, (_, index) => index + 1);
    const each = numbers.map((number) => this.#metric('attempts', 'Sum', options, { attempt: `${number}` }));
    return sum(options.label ?? 'Attempts', each, options.period);
  }
  /** Milliseconds of an attempt, from the look-up to the end of the response. @default p99 */
  metricAttemptLatency = (options?: MetricOptions): Metric => this.#metric('attemptLatency', 'p99', options);
  /** Requests answered with 500, which is a fault of the service. */
  metricFailedRequests = (options?: MetricOptions): Metric => this.#metric('failedRequests', 'Sum', options);
  /** Requests refused for this reason: a code that docs/api.md lists with 401, 403 or 429. */
  metricRefusals = (reason: string, options?: MetricOptions): Metric =>
    this.#metric('refusals', 'Sum', options, { reason });
  /** Endpoints to which every delivery has failed for an hour; once per Action and day. */
  metricEndpointsFailing = (options?: MetricOptions): Metric => this.#metric('endpointsFailing', 'Sum', options);
  /** Share of the organizations, from 0 to 1, of which no endpoint was reached. */
  metricUnreachedOrganizations = (options?: MetricOptions): Metric =>
    this.#metric('unreachedOrganizations', 'Average', options);
  /** Events dropped because of their name or shape. */
  metricEventsDropped = (options?: MetricOptions): Metric => this.#metric('eventsDropped', 'Sum', options);
  /** Events of an organization or assistant that does not exist. */
  metricEventsOfNobody = (options?: MetricOptions): Metric => this.#metric('eventsOfNobody', 'Sum', options);
  /** Receives of queue messages that failed and become visible again. */
  metricFailedMessages = (options?: MetricOptions): Metric => this.#metric('failedMessages', 'Sum', options);
  /** Receives of delivery messages that DynamoDB throttled. */
  metricDeliveriesThrottled = (options?: MetricOptions): Metric => this.#metric('deliveriesThrottled', 'Sum', options);
  /** Age in days of the newest key of session tokens, which is told once a day. @default the maximum of a day */
  metricTokenKeyAge = (options?: MetricOptions): Metric =>
    this.#metric('tokenKeyAge', 'Maximum', { period: Duration.days(1), ...options });
  /** Stored Actions that could not be read. */
  metricUnreadableActions = (options?: MetricOptions): Metric => this.#metric('unreadableActions', 'Sum', options);
  /** 1 when the canary could not use the service. */
  metricCanaryFailed = (options?: MetricOptions): Metric => this.#metric('canaryFailed', 'Maximum', options);
  /** Delivery records that could not be written. */
  metricLogWriteFailed = (options?: MetricOptions): Metric => this.#metric('logWriteFailed', 'Sum', options);

  #metric(name: keyof typeof METRICS, statistic: string, options: MetricOptions = {}, dimensions = {}): Metric {
    const { dimensionsMap, ...more } = options;
    const metric = ownMetric(this.#stage, METRICS[name], statistic);
    return metric.with({ ...more, dimensionsMap: { ...metric.dimensions, ...dimensions, ...dimensionsMap } });
  }
}

/** An imported bus has no policy in the app. */
const isPolicyOfApp = (bus: IEventBus): bus is IEventBus & IResourceWithPolicy =>
  'addToResourcePolicy' in bus && isOfApp(bus);

function grantInvoke(fn: IFunction, grantee: IGrantable): Grant {
  const action = 'lambda:InvokeFunction';
  return grantOn(fn, { grantee, actions: [action], resourceArns: fn.resourceArnsForGrantInvoke }, (principal) => {
    const permissions = principalsOf(principal).map((one) => {
      const id = `Invoke${createHash('sha256').update(one.toString()).digest('base64')}`;
      // A principal that is granted again has its permission already.
      if (fn.node.tryFindChild(id) === undefined) fn.addPermission(id, { principal: one, action });
      return fn.node.tryFindChild(id);
    });
    return new DependencyGroup(...permissions.filter((permission) => permission !== undefined));
  });
}
