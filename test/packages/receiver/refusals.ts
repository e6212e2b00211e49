import { VerificationError } from '../../../packages/receiver/src/index.ts';

/** Returns the status and the code with which `verify` refuses a request. @throws Error when it does not refuse */
export function refusal(verify: () => unknown): readonly [number, string] {
  try {
    verify();
  } catch (error) {
    if (error instanceof VerificationError) return [error.status, error.code];
    throw error;
  }
  throw new Error('Nothing was refused');
}
