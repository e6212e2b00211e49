import { types } from 'node:util';

/** Something the person at the terminal can act on: shown as one line, without a stack. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
}

/** The text of whatever was thrown. */
export const messageOf = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));

/** The code of a system error (`EADDRINUSE`, `ENOENT`, …), else undefined. */
export function codeOf(error: unknown): string | undefined {
  return types.isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
