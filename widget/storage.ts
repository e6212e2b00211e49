/** Browser storage that may be blocked (sandboxed frames, privacy settings): then nothing is remembered. */
export type Memory = {
  get(key: string): string | null;
  /** Null removes. */
  set(key: string, value: string | null): void;
  /** Removes every key that begins so. */
  forget(prefix: string): void;
};

const PREFIX = 'va-wave:';

/** @param open reaches for the storage; the mere look throws where storage is blocked */
export function memory(open: () => Storage): Memory {
  const tried = <T>(work: (storage: Storage) => T): T | null => {
    try {
      return work(open());
    } catch {
      // Without storage the next page begins a new conversation; nothing else is lost.
      return null;
    }
  };
  return {
    get: (key) => tried((storage) => storage.getItem(PREFIX + key)),
    set: (key, value) => {
      tried((storage) => (value === null ? storage.removeItem(PREFIX + key) : storage.setItem(PREFIX + key, value)));
    },
    forget: (prefix) => {
      tried((storage) => {
        for (const key of Object.keys(storage)) if (key.startsWith(PREFIX + prefix)) storage.removeItem(key);
      });
    },
  };
}

export const perTab = memory(() => sessionStorage);
export const perBrowser = memory(() => localStorage);
