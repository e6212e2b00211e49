import type { Cloud } from './cloud/start-cloud.ts';

/** What the demo is given of a running one-machine cloud: what an operator of a deployment would have. It keeps its state below `<dataDir>/demo`. */
export type DemoCloud = Pick<
  Cloud,
  'baseUrl' | 'apiUrl' | 'gatewayUrl' | 'region' | 'credentials' | 'outputs' | 'dataDir'
>;

/**
 * local/demo/demo.ts exports these two. `prepareDemo` runs before the cloud starts, because the functions must trust
 * the demo's certificate authority from their first request on.
 */
export type PrepareDemo = (dataDir: string) => Promise<{
  /** PEM file of the certificate authority that signed the demo's receiver. */
  readonly caFile: string;
}>;

export type StartDemo = (
  cloud: DemoCloud,
  options: {
    /** How many requests the receiver answers with 503 before it accepts one. 0 = none. */
    readonly fail: number;
  },
) => Promise<RunningDemo>;

export type RunningDemo = {
  /** What a visitor may open, by name. Printed, and written to the ready file. */
  readonly urls: Readonly<Record<string, string>>;
  /** What to try next, one line each. */
  readonly tips: readonly string[];
  stop(): Promise<void>;
};
