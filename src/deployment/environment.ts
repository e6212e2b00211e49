/**
 * Names of the environment variables that tell a function where its resources are. Constructs in lib/ set them, and handlers in
 * lambdas/ read them.
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
  /** `true` when a web ACL protects the distribution, so that requests directly to the API must be refused; otherwise `false`. */
  distributionOnly: 'DISTRIBUTION_ONLY',
  /** `{base_url}`. */
  baseUrl: 'BASE_URL',
  canaryServerKey: 'CANARY_SERVER_KEY_SECRET',
  /**
   * The value of the dimension `service` of every metric: the name of the stack. It is the same for all functions, because each further
   * value would be a separately billed metric. The log of a function shows which function emitted a value. Not POWERTOOLS_SERVICE_NAME,
   * which an app may set on all its functions: the alarms would have no data.
   */
  metricsService: 'METRICS_SERVICE',
  /** `true` when X-Ray traces the functions; otherwise absent. */
  tracing: 'TRACING',
  actionTestFunction: 'ACTION_TEST_FUNCTION',
} as const;
