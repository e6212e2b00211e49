/**
 * Names of the environment variables by which a construct tells a function where its resources are.
 * Read by lib/ (sets them) and lambdas/ (reads them), nobody else.
 */
export const ENVIRONMENT = {
  configurationTable: 'CONFIGURATION_TABLE',
  countersTable: 'COUNTERS_TABLE',
  conversationsTable: 'CONVERSATIONS_TABLE',
  deliveryLogTable: 'DELIVERY_LOG_TABLE',
  deliveryLogRetentionDays: 'DELIVERY_LOG_RETENTION_DAYS',
  eventBus: 'EVENT_BUS',
  deliveriesQueue: 'DELIVERIES_QUEUE_URL',
  tokenKeys: 'TOKEN_KEYS_SECRET',
  sealingKey: 'SEALING_KEY_SECRET',
  originSecret: 'ORIGIN_SECRET',
  /** `true` where a web ACL in front of the distribution is the only way in; else `false`. */
  distributionOnly: 'DISTRIBUTION_ONLY',
  actionTestFunction: 'ACTION_TEST_FUNCTION',
} as const;
