import { Refusal } from '../../src/domain/refusal.ts';

/** The refusal with which this ends; fails when it ends otherwise. */
export async function refusalOf(work: Promise<unknown> | (() => unknown)): Promise<Refusal> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

/** Status and message of a refusal, as a caller reads them. */
export async function saidNo(work: Promise<unknown> | (() => unknown)): Promise<readonly [number, string]> {
  const { status, message } = await refusalOf(work);
  return [status, message];
}
