/** Names of the stack outputs by which the operator's command line finds a deployment. */
export const OUTPUTS = {
  baseUrl: 'BaseUrl',
  /** What a domain of the operator's own points to. */
  distributionDomain: 'DistributionDomain',
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
  sealingKey: 'SealingKeySecret',
  originSecret: 'OriginSecret',
  aiAction: 'AiActionFunction',
  usageReport: 'UsageReportFunction',
  dashboardUrl: 'DashboardUrl',
  userPool: 'UserPoolId',
  actionTest: 'ActionTestFunction',
} as const;
