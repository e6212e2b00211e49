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
 * Returns the `requestHandler` of an SDK client. Limits alone mean the SDK's own, over HTTP. Nothing of this module is in a deployed bundle,
 * because the bundler takes the call of such a function out.
 */
export function awsTransport(limits: TransportLimits): object {
  return limits;
}
