export const METRICS_NAMESPACE = 'va-wave';

/** Names of the service's own metrics. Functions emit them, and alarms and the CloudWatch dashboard read them. */
export const METRICS = {
  /**
   * Counts attempts: once by the dimension `outcome` (`succeeded` or a failure code), and once by `trigger` (`form`, `ai` or
   * `usage`), those of Event deliveries by `attempt` (the number of the attempt) instead.
   */
  attempts: 'Attempts',
  /** Milliseconds that an attempt took, from the DNS lookup to the end of the response. */
  attemptLatency: 'AttemptLatency',
  /** Counts requests that were answered with 500: a fault of the service, and never of a customer's endpoint. */
  failedRequests: 'FailedRequests',
  /** Counts refusals by authentication, authorization and rate limits: by the `reason`, a code of REFUSALS, or by the `token_problem`. */
  refusals: 'Refusals',
  /** Counts endpoints to which every delivery has failed for an hour; at most once per Action and day. */
  endpointsFailing: 'EndpointsFailing',
  /**
   * The share, from 0 to 1, of organizations none of whose endpoints a dispatcher container reached in the last five minutes, among
   * those that it tried to reach. Emitted only for three organizations or more: fewer say nothing about the network of the service.
   */
  unreachedOrganizations: 'UnreachedOrganizations',
  /** Counts events that were dropped because their publisher gave them a wrong name or shape; a retry could not succeed. */
  eventsDropped: 'EventsDropped',
  /** Counts events of an organization that does not exist, or of an assistant that the organization does not have. The function's log has a line for each. */
  eventsOfNobody: 'EventsOfNobody',
  /** Counts receives of queue messages that failed and become visible again, except those that wait for an attempt in progress or for DynamoDB. */
  failedMessages: 'FailedMessages',
  /** Counts receives of messages of the deliveries queue that failed because DynamoDB throttled their requests. The messages wait longer each time. */
  deliveriesThrottled: 'DeliveriesThrottled',
  /** Age in days of the newest key of session tokens. */
  tokenKeyAge: 'TokenKeyAge',
  /** Counts Actions that an answer omits because the stored item cannot be read. The function's log has a line for each. */
  unreadableActions: 'UnreadableActions',
  /** 1 when the canary could not use the service, else 0. Emitted only with the option `canary`. */
  canaryFailed: 'CanaryFailed',
  /** Counts delivery records that could not be written. The function's log has a line for each. */
  logWriteFailed: 'DeliveryLogWriteFailed',
} as const;
