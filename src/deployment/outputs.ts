/** Names of the stack outputs. The operator's command line reads them to find the resources of a deployment. */
export const OUTPUTS = {
  /** Version of va-wave, as in CHANGELOG.md. */
  version: 'Version',
  baseUrl: 'BaseUrl',
  /** The target of the DNS record of the operator's own domain. */
  distributionDomain: 'DistributionDomain',
  distributionId: 'DistributionId',
  /** IP addresses from which outbound requests come, when fixed egress is enabled. */
  egressAddresses: 'EgressAddresses',
  apiUrl: 'ApiUrl',
  widgetPinnedPath: 'WidgetPinnedPath',
  widgetIntegrity: 'WidgetIntegrity',
  configurationTable: 'ConfigurationTable',
  countersTable: 'CountersTable',
  conversationsTable: 'ConversationsTable',
  deliveryLogTable: 'DeliveryLogTable',
  eventBus: 'EventBus',
  /** Days for which the archive keeps events, with the archive. */
  eventArchiveDays: 'EventArchiveDays',
  eventsQueue: 'EventsQueueUrl',
  eventsDeadLetters: 'EventsDeadLettersUrl',
  deliveriesQueue: 'DeliveriesQueueUrl',
  deliveriesDeadLetters: 'DeliveriesDeadLettersUrl',
  tokenKeys: 'TokenKeysSecret',
  sealingKey: 'SealingKeySecret',
  originSecret: 'OriginSecret',
  /** The version that the distribution sends, when one was chosen. */
  originSecretVersion: 'OriginSecretVersion',
  /** Where the canary's server secret belongs, with the canary. */
  canaryServerKey: 'CanaryServerKeySecret',
  aiAction: 'AiActionFunction',
  usageReport: 'UsageReportFunction',
  dashboardUrl: 'DashboardUrl',
  userPool: 'UserPoolId',
  actionTest: 'ActionTestFunction',
} as const;

/** All functions of the service, by their folder in lambdas/. `canary` is deployed only with the option `canary`. */
export const FUNCTIONS = [
  'session-create',
  'widget-init',
  'form-submit',
  'preflight',
  'not-found',
  'event-router',
  'dispatcher',
  'ai-action',
  'usage-report',
  'dashboard-api',
  'action-test',
  'key-rotation',
  'canary',
] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** Returns the name of the output that has a function's log group, such as `LogOfSessionCreate` for `session-create`. */
export function logOutput(name: FunctionName): string {
  return `LogOf${name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
}

/** The output that has the log group of the API's access log. */
export const ACCESS_LOG_OUTPUT = 'LogOfApi';
