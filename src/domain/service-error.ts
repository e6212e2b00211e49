/**
 * An error whose message this service has written: it names things by their ids and quotes no content, so that a log line may show it. Of
 * every other error a log line shows class, code and place.
 */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
}

/** A queue message that this code cannot read: it is malformed, or of newer code. */
export class UnreadableMessage extends ServiceError {
  override readonly name = 'UnreadableMessage';
}
