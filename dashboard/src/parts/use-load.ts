import { useCallback, useEffect, useState } from 'react';
import { SessionEnded } from '../session/session.ts';
import { useDashboard } from './context.ts';

/** The state of data that is loaded. It is loading while it has neither a value nor an error. */
export type LoadState = { readonly error?: unknown; readonly reload: () => void };

export type Loaded<T> = LoadState & {
  readonly value: T | undefined;
  /** Changes the data that is shown then. */
  readonly change: (next: (last: T) => T) => void;
};

/** Loads data when the screen opens. `key` identifies the data; another key loads again. */
export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const { report } = useDashboard();
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown }>({ key });
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: key and round decide when to load again; the functions are new in every render
  useEffect(() => {
    let gone = false;
    load().then(
      (value) => {
        if (!gone) setState({ key, value });
      },
      (error: unknown) => {
        // After the new login the page loads again.
        if (error instanceof SessionEnded) report(error);
        else if (!gone) setState({ key, error });
      },
    );
    return () => {
      gone = true;
    };
  }, [key, round]);

  const reload = useCallback(() => {
    setState(({ error: _, ...last }) => last);
    setRound((count) => count + 1);
  }, []);
  const change = (next: (last: T) => T) =>
    setState((last) => (last.key === key && last.value !== undefined ? { ...last, value: next(last.value) } : last));
  return { value: undefined, ...(state.key === key && state), reload, change };
}
