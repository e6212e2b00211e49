/** What a service of AWS answered instead of a result, or why it did not answer. Holds nothing of the request. */
export class ServiceError extends Error {
  /** AWS's own name for it, such as `ConditionalCheckFailedException`. */
  override readonly name: string;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  // Private, because it can hold a stored item, and a logger writes out what it finds.
  readonly #details: Readonly<Record<string, unknown>>;

  constructor(name: string, message: string, status?: number, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.#details = details;
  }

  /** What else the service says of it, as it stands in the answer. */
  get details(): Readonly<Record<string, unknown>> {
    return this.#details;
  }
}

/** Whether `error` is what AWS calls by one of these names. */
export function isServiceError(error: unknown, name: string): error is ServiceError {
  return error instanceof ServiceError && error.name === name;
}
