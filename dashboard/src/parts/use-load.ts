import { useCallback, useEffect, useState } from 'react';
import { useDashboard } from './context.ts';

/** The state of data that is loaded. `value` is undefined until it has arrived. */
export type LoadState = { readonly value: unknown; readonly failed: boolean; readonly reload: () => void };

export type Loaded<T> = LoadState & {
  readonly value: T | undefined;
  /** Changes the data that is shown then. */
  readonly change: (next: (last: T) => T) => void;
};

/** Loads data when the screen opens. `key` identifies the data; another key loads again. */
export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const { report } = useDashboard();
  const [state, setState] = useState<{ key: string; value?: T; failed: boolean }>({ key, failed: false });
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: key and round decide when to load again; the functions are new in every render
  useEffect(() => {
    let gone = false;
    load().then(
      (value) => {
        if (!gone) setState({ key, value, failed: false });
      },
      (error: unknown) => {
        if (gone) return;
        setState({ key, failed: true });
        report(error);
      },
    );
    return () => {
      gone = true;
    };
  }, [key, round]);

  const reload = useCallback(() => {
    setState((last) => ({ ...last, failed: false }));
    setRound((count) => count + 1);
  }, []);
  const change = (next: (last: T) => T) =>
    setState((last) => (last.key === key && last.value !== undefined ? { ...last, value: next(last.value) } : last));
  return { value: state.key === key ? state.value : undefined, failed: state.failed, reload, change };
}
