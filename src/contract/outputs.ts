/** Names of the stack outputs by which the operator's command line finds a deployment. */
export const OUTPUTS = {
  /** Of va-wave, as CHANGELOG.md tells it. */
  version: 'Version',
  baseUrl: 'BaseUrl',
  /** What a domain of the operator's own points to. */
  distributionDomain: 'DistributionDomain',
  distributionId: 'DistributionId',
  /** Where outbound requests come from, with fixed egress. */
  egressAddresses: 'EgressAddresses',
  apiUrl: 'ApiUrl',
  widgetPinnedPath: 'WidgetPinnedPath',
  widgetIntegrity: 'WidgetIntegrity',
  configurationTable: 'ConfigurationTable',
  conversationsTable: 'ConversationsTable',
  deliveryLogTable: 'DeliveryLogTable',
  eventBus: 'EventBus',
  eventsQueue: 'EventsQueueUrl',
  eventsDeadLetters: 'EventsDeadLettersUrl',
  deliveriesQueue: 'DeliveriesQueueUrl',
  deliveriesDeadLetters: 'DeliveriesDeadLettersUrl',
  tokenKeys: 'TokenKeysSecret',
  sealingKey: 'SealingKeySecret',
  originSecret: 'OriginSecret',
  aiAction: 'AiActionFunction',
  usageReport: 'UsageReportFunction',
  dashboardUrl: 'DashboardUrl',
  userPool: 'UserPoolId',
  actionTest: 'ActionTestFunction',
} as const;

/** Every function of the service, by its folder in lambdas/. */
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
] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** The output with the name of a function's log group: `LogOfSessionCreate` for `session-create`. */
export function logOutput(name: FunctionName): string {
  return `LogOf${name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
}

/** The output with the name of the API's access log. */
export const ACCESS_LOG_OUTPUT = 'LogOfApi';
