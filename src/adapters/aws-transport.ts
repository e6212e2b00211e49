/** The limits of one attempt in milliseconds, as the SDK's handler of requests takes them. */
export type TransportLimits = {
  readonly connectionTimeout: number;
  /** Until the response begins. */
  readonly requestTimeout: number;
  /** Of each pause within the response. */
  readonly socketTimeout: number;
  readonly throwOnRequestTimeout: true;
};

/**
 * Returns the `requestHandler` of an SDK client. From plain limits the SDK makes its own handler. The one-machine service replaces this module
 * (`#aws-transport`) in its bundles. Nothing of it is in a deployed bundle, because the bundler inlines a function that returns its argument.
 */
export function awsTransport(limits: TransportLimits): object {
  return limits;
}
