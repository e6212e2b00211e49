/** Names of the stack outputs. The operator's command line reads them to find the resources of a deployment. */
export const OUTPUTS = {
  version: 'Version',
  baseUrl: 'BaseUrl',
  distributionDomain: 'DistributionDomain',
  distributionId: 'DistributionId',
  egressAddresses: 'EgressAddresses',
  apiUrl: 'ApiUrl',
  widgetPinnedPath: 'WidgetPinnedPath',
  widgetIntegrity: 'WidgetIntegrity',
  configurationTable: 'ConfigurationTable',
  countersTable: 'CountersTable',
  conversationsTable: 'ConversationsTable',
  deliveryLogTable: 'DeliveryLogTable',
  eventBus: 'EventBus',
  eventArchiveDays: 'EventArchiveDays',
  eventsQueue: 'EventsQueueUrl',
  eventsDeadLetters: 'EventsDeadLettersUrl',
  deliveriesQueue: 'DeliveriesQueueUrl',
  deliveriesDeadLetters: 'DeliveriesDeadLettersUrl',
  tokenKeys: 'TokenKeysSecret',
  sealingKey: 'SealingKeySecret',
  originSecret: 'OriginSecret',
  originSecretVersion: 'OriginSecretVersion',
  canaryServerKey: 'CanaryServerKeySecret',
  aiAction: 'AiActionFunction',
  usageReport: 'UsageReportFunction',
  dashboardUrl: 'DashboardUrl',
  userPool: 'UserPoolId',
  actionTest: 'ActionTestFunction',
} as const;
export type Output = keyof typeof OUTPUTS;
export const OUTPUT_NAMES = Object.keys(OUTPUTS).filter((name): name is Output => name in OUTPUTS);

/** What each output is, for CloudFormation's console and the page of the construct. */
export const OUTPUT_DESCRIPTIONS: Readonly<Record<Output, string>> = {
  version: 'Version of va-wave, as in its CHANGELOG.md, with the commit of its sources',
  baseUrl: 'Base address of the widget, the public routes and the dashboard',
  distributionDomain: 'Target of the DNS record of your own domain name',
  distributionId: 'The distribution, for its metrics and for moving a domain name to it',
  egressAddresses: 'Addresses from which outbound requests come (fixedEgress); customers allow them',
  apiUrl: 'The API without the distribution, for backends of customers',
  widgetPinnedPath: 'Path of this version of the widget, for a tag with integrity',
  widgetIntegrity: 'Hash of this version of the widget, for a tag with integrity',
  configurationTable: 'Organizations, assistants, Actions and members',
  countersTable: 'Rate windows and quotas, of which nothing needs to be kept',
  conversationsTable: 'Conversations and sessions of visitors, form submissions and tool calls',
  deliveryLogTable: 'A record of each attempt, and the erasures, which a restored table must repeat',
  eventBus: 'The bus on which the platform puts its events',
  eventArchiveDays: 'Days for which the archive keeps events (eventArchive)',
  eventsQueue: 'Events that wait for the event-router',
  eventsDeadLetters: 'Events that failed 25 times because of a fault of the service',
  deliveriesQueue: 'Deliveries that wait for the dispatcher',
  deliveriesDeadLetters: 'Deliveries that failed 25 times because of a fault of the service',
  tokenKeys: 'Keys of session tokens, which rotate by themselves',
  sealingKey: 'Key of the signing secrets. Without it none can be opened: keep a copy',
  originSecret: 'Secret between the distribution and the functions',
  originSecretVersion: 'The version that the distribution sends (originSecretVersion)',
  canaryServerKey: 'Where you store the server secret that the canary uses (canary)',
  aiAction: 'Function with which an assistant runtime lists and calls AI-decided Actions',
  usageReport: 'Function with which an assistant runtime reports the usage of a turn',
  dashboardUrl: 'Address of the dashboard',
  userPool: 'The logins of the dashboard',
  actionTest: 'Function of the Test button and of va-wave action test',
};

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
