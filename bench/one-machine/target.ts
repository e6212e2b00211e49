/** A running system under test that delivers to the endpoints. */
export type Target = {
  /** Sends one event for one endpoint. @throws Error unless the system confirms that it has accepted the event */
  send(endpoint: number, payload: object): Promise<void>;
  /** Returns the ids of its processes and of its databases. Their child processes count as well. */
  processes(): readonly number[];
  /** Ends the system with SIGKILL and restarts it. Undefined when the benchmark does not measure a crash of this system. */
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
