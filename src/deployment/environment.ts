/**
 * Names of the environment variables that tell a function where its resources are. Constructs in lib/ set them, and handlers in
 * lambdas/ read them. With this prefix, none is one that an app sets on all its functions, such as `BASE_URL` or `EVENT_BUS`.
 */
export const ENVIRONMENT = {
  configurationTable: 'VA_WAVE_CONFIGURATION_TABLE',
  countersTable: 'VA_WAVE_COUNTERS_TABLE',
  conversationsTable: 'VA_WAVE_CONVERSATIONS_TABLE',
  deliveryLogTable: 'VA_WAVE_DELIVERY_LOG_TABLE',
  deliveryLogRetentionDays: 'VA_WAVE_DELIVERY_LOG_RETENTION_DAYS',
  eventBus: 'VA_WAVE_EVENT_BUS',
  eventsQueue: 'VA_WAVE_EVENTS_QUEUE_URL',
  deliveriesQueue: 'VA_WAVE_DELIVERIES_QUEUE_URL',
  tokenKeys: 'VA_WAVE_TOKEN_KEYS_SECRET',
  sealingKey: 'VA_WAVE_SEALING_KEY_SECRET',
  originSecret: 'VA_WAVE_ORIGIN_SECRET',
  /** `true` when a web ACL protects the distribution, so that requests directly to the API must be refused; otherwise `false`. */
  distributionOnly: 'VA_WAVE_DISTRIBUTION_ONLY',
  baseUrl: 'VA_WAVE_BASE_URL',
  canaryServerKey: 'VA_WAVE_CANARY_SERVER_KEY_SECRET',
  /**
   * The value of the dimension `service` of every metric: the name of the stack. It is the same for all functions, because each further
   * value would be a separately billed metric. The log of a function shows which function emitted a value.
   */
  metricsService: 'VA_WAVE_METRICS_SERVICE',
  /** `true` when X-Ray traces the functions; otherwise absent. */
  tracing: 'VA_WAVE_TRACING',
  actionTestFunction: 'VA_WAVE_ACTION_TEST_FUNCTION',
} as const;
