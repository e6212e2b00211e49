/** Browser storage. When it is blocked (sandboxed frames, privacy settings), nothing is stored. */
type Memory = {
  get(key: string): string | null;
  /** Null removes. */
  set(key: string, value: string | null): void;
  /** Removes every key of the widget. */
  clear(): void;
};

const PREFIX = 'va-wave:';

/** @param open returns the storage. Where storage is blocked, reading this property of the window throws. */
function memory(open: () => Storage): Memory {
  const tried = <T>(work: (storage: Storage) => T): T | null => {
    try {
      return work(open());
    } catch {
      // Without storage, the next page starts a new conversation and the drafts are not kept.
      return null;
    }
  };
  return {
    get: (key) => tried((storage) => storage.getItem(PREFIX + key)),
    set: (key, value) => {
      tried((storage) => (value === null ? storage.removeItem(PREFIX + key) : storage.setItem(PREFIX + key, value)));
    },
    clear: () => {
      tried((storage) => {
        for (const key of Object.keys(storage)) if (key.startsWith(PREFIX)) storage.removeItem(key);
      });
    },
  };
}

export const perTab = memory(() => sessionStorage);
export const perBrowser = memory(() => localStorage);
