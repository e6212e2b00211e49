import { VerificationError } from '../../../packages/receiver/src/index.ts';

/** Status and code with which a request is refused; fails when it is not. */
export function refusal(verify: () => unknown): readonly [number, string] {
  try {
    verify();
  } catch (error) {
    if (error instanceof VerificationError) return [error.status, error.code];
    throw error;
  }
  throw new Error('Nothing was refused');
}
