import { types } from 'node:util';

/** An error that the user can correct. It is printed as one line, without a stack trace. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
}

/** Returns a value that must be there. @throws CloudError with the problem when it is not */
export function required<Value>(value: Value | undefined, problem: string): Value {
  if (value === undefined) throw new CloudError(problem);
  return value;
}

export const messageOf = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));

/** The code of a system error (`EADDRINUSE`, `ENOENT`, …), else undefined. */
export function codeOf(error: unknown): string | undefined {
  return types.isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
