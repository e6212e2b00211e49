/** One request that reached the customer's receiver, as the site shows it. */
export type ReceivedRequest = {
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  readonly path: string;
  /** Name of the Action; empty for usage webhooks. */
  readonly action: string;
  /** As in `X-Service-Trigger`; `usage` for usage webhooks. */
  readonly trigger: string;
  /** As in `X-Service-Trigger-Ref`; empty for usage webhooks. */
  readonly triggerRef: string;
  /** Envelope id, submission id or nonce. Empty without one, and when the request was not verified. */
  readonly key: string;
  /** What says what the request is, and proves it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly verified: boolean;
  /** Why it was not verified, in the verifier's words. */
  readonly problem: string;
  readonly answered: number;
  /** True when a request with this key had been accepted before: answered 2xx, and nothing else done. */
  readonly duplicate: boolean;
  /** How many times this key has arrived, this one included. */
  readonly arrival: number;
  /** Since the first arrival of this key. */
  readonly sinceFirstMs: number;
  readonly body: string;
};

const KEPT = 100;

/** The latest requests, and the open pages that show them. */
export class Feed {
  readonly #recent: ReceivedRequest[] = [];
  readonly #watchers = new Set<(request: ReceivedRequest) => void>();

  push(request: ReceivedRequest): void {
    this.#recent.push(request);
    if (this.#recent.length > KEPT) this.#recent.shift();
    for (const watcher of this.#watchers) watcher(request);
  }

  /** Calls `watcher` with the existing and all later requests. @returns a function that ends the calls */
  watch(watcher: (request: ReceivedRequest) => void): () => void {
    for (const request of this.#recent) watcher(request);
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}
