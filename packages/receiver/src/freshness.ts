import { VerificationError } from './verification-error.ts';

export type VerifyOptions = {
  /** How many seconds the timestamp may be before or after now. @default 300 */
  readonly toleranceSeconds?: number | undefined;
  /** Unix time in milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
};

/**
 * Checks that a timestamp is close enough to now.
 * @throws VerificationError `timestamp_stale`
 */
export function requireFresh(unixSeconds: number, options: VerifyOptions): void {
  const { toleranceSeconds = 300, now = Date.now } = options;
  // This form of the condition also refuses NaN.
  if (!(Math.abs(now() / 1000 - unixSeconds) <= toleranceSeconds)) {
    throw new VerificationError('timestamp_stale', 'The timestamp is too far from now');
  }
}
