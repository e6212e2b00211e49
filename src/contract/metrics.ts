/** Names of the service's own metrics, as functions emit them and alarms read them. */
export const METRICS_NAMESPACE = 'va-wave';

/** Every metric's dimension `service`. By function each would be several, paid for one by one; which it was is in the function's log. */
export const METRICS_SERVICE = 'va-wave';

export const METRICS = {
  /**
   * One per attempt of an Event delivery: by the dimension `outcome`, which is `succeeded` or a failure code, and once more by the
   * dimension `attempt`, its number.
   */
  attempts: 'Attempts',
  /** Milliseconds that such an attempt took, from the look-up of the name to the end of the answer. */
  attemptLatency: 'AttemptLatency',
  /** Who is not let in, or asks too often, by the dimension `reason`: a code of REFUSALS. */
  refusals: 'Refusals',
  /** An endpoint to which every delivery has failed for an hour; at most one per Action and day. */
  endpointsFailing: 'EndpointsFailing',
  /**
   * Of the organizations whose endpoints a container of the dispatcher tried in the last minutes, the share, from 0 to 1, of those that
   * it did not reach at all. Only told of three organizations or more: below that it says nothing of our own network.
   */
  unreachedOrganizations: 'UnreachedOrganizations',
  /** An event that no retry can mend, because whoever put it on the bus got its shape wrong. */
  eventsDropped: 'EventsDropped',
  /** Age in days of the newest key of session tokens. */
  tokenKeyAge: 'TokenKeyAge',
  /** A record that the delivery log could not take; its line is in the function's log. */
  logWriteFailed: 'DeliveryLogWriteFailed',
} as const;
