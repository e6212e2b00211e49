import { Refusal } from '../../src/domain/refusal.ts';

/** Returns the refusal with which the work rejects. Throws when it does not reject with a refusal. */
export async function refusalOf(work: Promise<unknown> | (() => unknown)): Promise<Refusal> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

/** Returns the status and the message of a refusal. */
export async function refusedWith(work: Promise<unknown> | (() => unknown)): Promise<readonly [number, string]> {
  const { status, message } = await refusalOf(work);
  return [status, message];
}
