/** Browser storage that may be blocked (sandboxed frames, privacy settings): then nothing is remembered. */
export type Memory = {
  get(key: string): string | null;
  /** Null removes. */
  set(key: string, value: string | null): void;
};

/** @param open reaches for the storage; the mere look throws where storage is blocked */
export function memory(open: () => Storage): Memory {
  return {
    get: (key) => {
      try {
        return open().getItem(`va-wave:${key}`);
      } catch {
        return null;
      }
    },
    set: (key, value) => {
      try {
        if (value === null) open().removeItem(`va-wave:${key}`);
        else open().setItem(`va-wave:${key}`, value);
      } catch {
        // Without storage the next page begins a new conversation; nothing else is lost.
      }
    },
  };
}

export const perTab = memory(() => sessionStorage);
export const perBrowser = memory(() => localStorage);
