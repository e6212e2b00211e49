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
  deliveryLogTable: 'DeliveryLogTable',
  eventBus: 'EventBus',
  sealingKey: 'SealingKeySecret',
  aiAction: 'AiActionFunction',
  usageReport: 'UsageReportFunction',
  dashboardUrl: 'DashboardUrl',
  userPool: 'UserPoolId',
  actionTest: 'ActionTestFunction',
} as const;
