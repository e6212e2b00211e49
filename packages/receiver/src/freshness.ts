import { VerificationError } from './verification-error.ts';

export type VerifyOptions = {
  /** How far the timestamp may be from now, either way, in seconds. @default 300 */
  readonly toleranceSeconds?: number | undefined;
  /** Unix time in milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
};

/** @throws VerificationError `timestamp_stale` */
export function requireFresh(unixSeconds: number, options: VerifyOptions): void {
  const { toleranceSeconds = 300, now = Date.now } = options;
  // Written so that NaN is refused.
  if (!(Math.abs(now() / 1000 - unixSeconds) <= toleranceSeconds)) {
    throw new VerificationError('timestamp_stale', 'The timestamp is too far from now');
  }
}
