import { CfnOutput, Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ESCALATION_TOPIC_PREFIX } from '../src/contract/assistants.ts';
import { ENVIRONMENT } from '../src/contract/environment.ts';
import { OUTPUTS } from '../src/contract/outputs.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import { Api } from './api.ts';
import { Dashboard } from './dashboard.ts';
import { DEFAULT_DELIVERY_CONCURRENCY, type DeploymentOptions } from './deployment-options.ts';
import { Edge } from './edge.ts';
import { Egress } from './egress.ts';
import { Keys } from './keys.ts';
import { Login } from './login.ts';
import { Messaging } from './messaging.ts';
import { Monitoring } from './monitoring.ts';
import { REQUEST_TIMEOUT, ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import { STAGES, type Stage } from './stage.ts';
import { Tables } from './tables.ts';

export type VaWaveStackProps = StackProps &
  DeploymentOptions & {
    /** Module behind `#network-rule` in the outbound functions. Only the one-machine cloud sets it. @default the strict rule */
    readonly networkRule?: string;
    /**
     * Leaves out what the emulator of test/deploy does not have: the distribution with its buckets and what is in them (the API then
     * stands for `{base_url}`), alarms over sums of metrics, and the looks of the login. Nothing else sets it. @default false
     */
    readonly emulated?: boolean;
  };

/** One 5-second attempt to the endpoint, and the storage around it. */
const ONE_ATTEMPT_TIMEOUT = Duration.seconds(15);
/** A test request that another function makes, and a little patience around it. */
const WHOLE_TEST_TIMEOUT = Duration.seconds(20);
/** A batch is handled side by side: one 5-second attempt, plus claim, record and retry message around it. */
const DISPATCHER_TIMEOUT = Duration.seconds(15);
/** Ten events, or six megabytes of them, to fifty Actions each: at most three hundred batches of one megabyte. */
const ROUTER_TIMEOUT = Duration.seconds(25);

/** The whole service. */
export class VaWaveStack extends Stack {
  constructor(scope: Construct, id: string, props: VaWaveStackProps = {}) {
    super(scope, id, { description: 'va-wave: chat widget authentication and signed outbound requests', ...props });
    const stage: Stage = STAGES[props.stage ?? 'prod'];
    const retentionDays = String(props.deliveryLogRetentionDays ?? stage.deliveryLogRetentionDays);
    const tables = new Tables(this, 'Tables', { stage });
    const keys = new Keys(this, 'Keys', { stage, sealingKeyReplicaRegion: props.sealingKeyReplicaRegion });
    const messaging = new Messaging(this, 'Messaging', {
      routerTimeout: ROUTER_TIMEOUT,
      dispatcherTimeout: DISPATCHER_TIMEOUT,
    });

    const fn = (name: string, more: Omit<ServiceFunctionProps, 'stage'>) =>
      new ServiceFunction(this, name, { stage, ...more });
    const egress = props.fixedEgress === true ? new Egress(this, 'Egress', { stage }) : undefined;
    const outbound = {
      ...(props.networkRule === undefined ? {} : { networkRule: props.networkRule }),
      ...(egress === undefined ? {} : { egress }),
    };

    const sessionCreate = fn('SessionCreate', {
      folder: 'session-create',
      description: 'Mints session tokens for customer backends',
      timeout: REQUEST_TIMEOUT,
    });
    tables.configuration.allow(sessionCreate, 'GetItem');
    tables.counters.allow(sessionCreate, 'UpdateItem');
    keys.allowTokenKeys(sessionCreate);
    keys.allowOriginSecret(sessionCreate);

    const widgetInit = fn('WidgetInit', {
      folder: 'widget-init',
      description: 'Authenticates a widget and begins or resumes its conversation',
      timeout: REQUEST_TIMEOUT,
    });
    tables.configuration.allow(widgetInit, 'GetItem', 'Query');
    tables.counters.allow(widgetInit, 'UpdateItem');
    tables.conversations.allow(widgetInit, 'GetItem', 'PutItem');
    keys.allowTokenKeys(widgetInit);
    keys.allowOriginSecret(widgetInit);
    messaging.allowPutEvents(widgetInit);

    const formSubmit = fn('FormSubmit', {
      folder: 'form-submit',
      description: 'Cleans, signs and forwards form submissions',
      timeout: ONE_ATTEMPT_TIMEOUT,
      ...outbound,
    });
    tables.configuration.allow(formSubmit, 'GetItem');
    tables.counters.allow(formSubmit, 'UpdateItem');
    tables.conversations.allow(formSubmit, 'GetItem', 'UpdateItem');
    tables.deliveryLog.allow(formSubmit, 'PutItem', 'UpdateItem');
    keys.allowTokenKeys(formSubmit);
    keys.allowSealingKey(formSubmit);
    keys.allowOriginSecret(formSubmit);
    formSubmit.allow({
      actions: ['sns:Publish'],
      resources: [this.formatArn({ service: 'sns', resource: `${ESCALATION_TOPIC_PREFIX}*` })],
    });
    Validations.of(formSubmit).acknowledge({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:${ESCALATION_TOPIC_PREFIX}*]`,
      reason: 'The operator makes escalation topics at any time; the prefix keeps every other topic out of reach.',
    });

    const preflight = fn('Preflight', {
      folder: 'preflight',
      description: 'Answers CORS preflights against the Domain of the assistant',
      timeout: REQUEST_TIMEOUT,
    });
    tables.configuration.allow(preflight, 'GetItem', 'Query');

    const notFound = fn('NotFound', {
      folder: 'not-found',
      description: 'Answers requests to routes that do not exist',
      timeout: REQUEST_TIMEOUT,
      memorySize: 128,
    });

    const eventRouter = fn('EventRouter', {
      folder: 'event-router',
      description: 'Turns an event into one delivery per subscribed Action',
      timeout: ROUTER_TIMEOUT,
    });
    tables.configuration.allow(eventRouter, 'Query');
    tables.deliveryLog.allow(eventRouter, 'PutItem');
    messaging.allowSendDeliveries(eventRouter);
    messaging.events.feeds(eventRouter, { maxConcurrency: 20 });

    const dispatcher = fn('Dispatcher', {
      folder: 'dispatcher',
      description: 'Makes one attempt per message to the endpoint of an Event Action',
      timeout: DISPATCHER_TIMEOUT,
      ...outbound,
    });
    tables.configuration.allow(dispatcher, 'BatchGetItem');
    tables.counters.allow(dispatcher, 'UpdateItem');
    tables.deliveryLog.allow(dispatcher, 'PutItem', 'UpdateItem', 'Query');
    keys.allowSealingKey(dispatcher);
    messaging.allowSendDeliveries(dispatcher);
    messaging.allowPutEvents(dispatcher);
    messaging.deliveries.feeds(dispatcher, {
      maxConcurrency: props.deliveryConcurrency ?? DEFAULT_DELIVERY_CONCURRENCY,
    });

    const aiAction = fn('AiAction', {
      folder: 'ai-action',
      description: 'Lists and calls AI-decided Actions for the assistant runtime',
      timeout: ONE_ATTEMPT_TIMEOUT,
      ...outbound,
    });
    tables.configuration.allow(aiAction, 'GetItem', 'Query');
    tables.counters.allow(aiAction, 'UpdateItem');
    tables.conversations.allow(aiAction, 'UpdateItem', 'PutItem');
    tables.deliveryLog.allow(aiAction, 'PutItem', 'UpdateItem');
    keys.allowSealingKey(aiAction);

    const usageReport = fn('UsageReport', {
      folder: 'usage-report',
      description: 'Reports the usage of a conversation turn to the usage webhook of its session',
      timeout: ONE_ATTEMPT_TIMEOUT,
      ...outbound,
    });
    tables.deliveryLog.allow(usageReport, 'PutItem', 'UpdateItem');
    keys.allowTokenKeys(usageReport);

    const actionTest = fn('ActionTest', {
      folder: 'action-test',
      description: 'Sends the test request of an Action',
      timeout: ONE_ATTEMPT_TIMEOUT,
      ...outbound,
    });
    tables.configuration.allow(actionTest, 'GetItem');
    tables.counters.allow(actionTest, 'UpdateItem');
    tables.deliveryLog.allow(actionTest, 'PutItem', 'UpdateItem');
    keys.allowSealingKey(actionTest);

    const dashboardApi = fn('DashboardApi', {
      folder: 'dashboard-api',
      description: 'What the dashboard reads and writes, by the role of whoever is logged in',
      timeout: WHOLE_TEST_TIMEOUT,
    });
    tables.configuration.allow(dashboardApi, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    tables.counters.allow(dashboardApi, 'GetItem', 'PutItem');
    keys.allowSealingKey(dashboardApi);
    dashboardApi.allow({
      actions: ['lambda:InvokeFunction'],
      resources: [actionTest.fn.functionArn],
      environment: { [ENVIRONMENT.actionTestFunction]: actionTest.fn.functionName },
    });

    const keyRotation = fn('KeyRotation', {
      folder: 'key-rotation',
      description: 'Adds a key to the ring that signs session tokens, and drops those that no token needs',
      timeout: REQUEST_TIMEOUT,
      memorySize: 256,
    });
    keys.rotateTokenKeys(keyRotation);

    for (const logged of [formSubmit, eventRouter, dispatcher, aiAction, usageReport, actionTest]) {
      logged.fn.addEnvironment(ENVIRONMENT.deliveryLogRetentionDays, retentionDays);
    }

    const api = new Api(this, 'Api', {
      stage,
      sessionCreate,
      widgetInit,
      formSubmit,
      preflight,
      notFound,
    });
    const { domain, webAclArn, originSecretVersion, emulated = false } = props;
    const edge = emulated
      ? undefined
      : new Edge(this, 'Edge', {
          stage,
          api: api.http,
          originSecret: keys.origin,
          originSecretVersion,
          domain,
          webAclArn,
        });
    const baseUrl = edge?.baseUrl ?? api.http.apiEndpoint;

    const login = new Login(this, 'Login', { stage, emulated });
    const dashboard = new Dashboard(this, 'Dashboard', { login, api: api.http, edge, baseUrl, dashboardApi });

    if (!emulated) {
      new Monitoring(this, 'Monitoring', {
        functions: {
          Requests: [sessionCreate, widgetInit, formSubmit, preflight, notFound, dashboardApi],
          Deliveries: [eventRouter, dispatcher, aiAction, usageReport, actionTest, keyRotation],
        },
        queues: { Events: messaging.events, Deliveries: messaging.deliveries },
        api: api.http,
        ...(props.alarmTopicArn === undefined ? {} : { alarmTopicArn: props.alarmTopicArn }),
      });
    }
    acknowledgeFindings(this);

    const output = (name: string, value: string) => new CfnOutput(this, name, { value });
    output(OUTPUTS.baseUrl, baseUrl);
    if (edge !== undefined) {
      output(OUTPUTS.distributionDomain, edge.distribution.distributionDomainName);
      output(OUTPUTS.widgetPinnedPath, edge.widget.immutablePath);
      output(OUTPUTS.widgetIntegrity, edge.widget.integrity);
    }
    if (egress !== undefined) output(OUTPUTS.egressAddresses, egress.addresses.join(', '));
    output(OUTPUTS.apiUrl, api.http.apiEndpoint);
    output(OUTPUTS.configurationTable, tables.configuration.table.tableName);
    output(OUTPUTS.conversationsTable, tables.conversations.table.tableName);
    output(OUTPUTS.deliveryLogTable, tables.deliveryLog.table.tableName);
    output(OUTPUTS.eventBus, messaging.bus.eventBusName);
    output(OUTPUTS.eventsQueue, messaging.events.queue.queueUrl);
    output(OUTPUTS.eventsDeadLetters, messaging.events.deadLetters.queueUrl);
    output(OUTPUTS.deliveriesQueue, messaging.deliveries.queue.queueUrl);
    output(OUTPUTS.deliveriesDeadLetters, messaging.deliveries.deadLetters.queueUrl);
    output(OUTPUTS.sealingKey, keys.sealing.secretArn);
    output(OUTPUTS.originSecret, keys.origin.secretArn);
    output(OUTPUTS.aiAction, aiAction.fn.functionName);
    output(OUTPUTS.usageReport, usageReport.fn.functionName);
    output(OUTPUTS.dashboardUrl, dashboard.url);
    output(OUTPUTS.userPool, login.pool.userPoolId);
    output(OUTPUTS.actionTest, actionTest.fn.functionName);
  }
}
