/** As AWS gives them out; a session token belongs to the temporary ones. */
export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

/**
 * How a client reaches AWS when that is not the business of the environment: the operator's command line, which can also
 * talk to the one-machine cloud. Functions give none, and live in the region and under the role that Lambda sets.
 */
export type AwsAccess = {
  /** One address for every service. */
  readonly endpoint?: string;
  readonly region?: string;
  /** Themselves, or what tells the ones that are valid now. */
  readonly credentials?: Credentials | (() => Promise<Credentials>);
  /** Milliseconds. A person at a terminal waits longer than a function, and from further away. */
  readonly requestHandler?: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: boolean;
  };
};
