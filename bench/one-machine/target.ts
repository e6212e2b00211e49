/** A system under test that was given the endpoints. */
export type Target = {
  /** Sends one event for one endpoint, once. @throws unless the system says that it has it */
  send(endpoint: number, payload: object): Promise<void>;
  /** Ids of its processes and those of its databases; what they start counts as well. */
  processes(): readonly number[];
  /** Ends it with SIGKILL and starts it again. Undefined where this script did not start it. */
  readonly crash: (() => Promise<void>) | undefined;
  stop(): Promise<void>;
};

export type TargetOptions = {
  readonly endpoints: readonly string[];
  /** PEM file of the authority that signed the endpoints' certificate. */
  readonly authorityFile: string;
  /** An empty folder for its state. */
  readonly folder: string;
};
