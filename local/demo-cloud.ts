/** The access key of whoever may do everything: the operator's command line, the demo and the tests. */
export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** What the demo is given of a running one-machine cloud: what an operator of a deployment would have. */
export type DemoCloud = {
  /** The edge, as a visitor reaches it: `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly baseUrl: string;
  /** The HTTP API behind it, as a customer's backend may call it. Without a slash at the end. */
  readonly apiUrl: string;
  /** The one endpoint for every AWS client: DynamoDB, SQS, EventBridge, Secrets Manager, SNS, Lambda. */
  readonly gatewayUrl: string;
  readonly region: string;
  readonly credentials: Credentials;
  /** Outputs of the stack by name, resolved. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Where state is kept, absolute. The demo keeps its own below `<dataDir>/demo`. */
  readonly dataDir: string;
};

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
