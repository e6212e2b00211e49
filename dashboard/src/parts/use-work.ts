import { useState } from 'react';
import { useDashboard } from './context.ts';

/** Returns whether work is running for which the user waits, and a function that runs such work and reports its failure. */
export function useWork(): readonly [boolean, (work: () => Promise<void>) => Promise<void>] {
  const { report } = useDashboard();
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      report(error);
    } finally {
      setBusy(false);
    }
  };
  return [busy, run];
}
