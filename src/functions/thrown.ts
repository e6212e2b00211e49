/** Returns the error that a log line shows. A thrown value that is no error may be content, and is not shown. */
export const shownError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error('A value that is no Error was thrown');

/** Returns the name of an error, for a log line where its message may quote content. */
export const errorName = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : 'unknown');
