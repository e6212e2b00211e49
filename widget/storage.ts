import { hasTexts } from './api.ts';
import type { FieldView } from './field.ts';

// What the browser keeps (docs/widget.md has the table). Where storage is blocked (sandboxed frames, privacy settings), nothing is kept.

const PREFIX = 'va-wave:';

export const perTab = memory(() => sessionStorage);
export const perBrowser = memory(() => localStorage);

/** An attempt to send. The same content keeps its key, also after a reload, so that another attempt cannot submit it twice. */
export type SubmitAttempt = {
  /** The values as JSON. */
  readonly values: string;
  readonly clientKey: string;
  /** When it began, in milliseconds, while it has no outcome. */
  readonly startedAt?: number | undefined;
};

/**
 * What the tab and the browser keep of a site's visitor. Nothing is written before `allow`, which the visitor's own act calls: until then, values wait
 * in memory. Who has keys already is known, and has acted before.
 * @param isOff keeps everything in memory, and removes what is there
 */
export function siteStorage(siteId: string, isOff: boolean) {
  const ownerKey = `${siteId}:owner`;
  const visitorKey = `${siteId}:visitor`;
  /** What was set on this page, by its key. Null stands for a removed value. */
  const pageValues: Record<string, unknown> = {};
  let isAllowed = false;
  let ownerHash = 0;
  if (isOff) for (const place of [perTab, perBrowser]) place.clear(`${siteId}:`);
  const placeOf = (key: string) => (key === visitorKey ? perBrowser : perTab);
  const write = (key: string) => {
    placeOf(key).set(key, pageValues[key]);
    // The owner comes with the first key of the tab.
    if (pageValues[key] !== null && key !== visitorKey) perTab.set(ownerKey, ownerHash);
  };
  const storage = {
    visitorKey,
    conversationKey: `${siteId}:conversation`,
    /** Returns a value that any script of the page may have written, or null. */
    get: (key: string): unknown => (key in pageValues ? pageValues[key] : placeOf(key).get(key)),
    /** Null removes. */
    set: (key: string, value: unknown) => {
      pageValues[key] = value;
      if (isAllowed || value === null) write(key);
    },
    /** Writes what waits, and from now on everything. */
    allow: () => {
      if (isAllowed || isOff) return;
      isAllowed = true;
      for (const key in pageValues) write(key);
    },
    /**
     * Makes a visitor the owner of what the tab keeps of the site. What another user has left goes; a guest who becomes a user keeps the drafts.
     * @param userId empty for a guest, whose hash is 0. Only the hash is stored, because the id must not stay in the browser after a log-out
     */
    setOwner: (userId: string) => {
      ownerHash = 0;
      for (const unit of userId) ownerHash = (Math.imul(ownerHash, 31) + (unit.codePointAt(0) ?? 0)) | 0;
      const earlierOwner = perTab.get(ownerKey);
      if (earlierOwner && earlierOwner !== ownerHash) perTab.clear(`${siteId}:`);
      if (perTab.get(ownerKey) !== null || (!userId && perBrowser.get(visitorKey))) storage.allow();
    },
    /** Writes nothing from now on: the visitor is no longer there. */
    end: () => {
      isAllowed = false;
    },
    /** Keeps the visitor's input in the tab until it is sent. */
    draft: (slug: string, fields: readonly FieldView[]) => {
      const key = `${siteId}:draft:${slug}`;
      return {
        save: (attempt: SubmitAttempt) => {
          // Prefill does not fill a field whose value was set. Only what the visitor has changed, or cleared, is kept and set again.
          const changedFields = fields.filter(({ input }) => input.value !== input.defaultValue);
          const texts = Object.fromEntries(changedFields.map(({ field, input }) => [field.key, input.value]));
          storage.set(key, { owner: ownerHash, texts, attempt });
        },
        /** Fills the fields. Returns the attempt that was not accepted yet. */
        restore: (): SubmitAttempt | undefined => {
          const { owner, texts, attempt } = Object(storage.get(key));
          for (const { field, input } of fields) {
            const text = Object(texts)[field.key];
            if (typeof text === 'string') input.value = text;
          }
          // In the conversation of another visitor, the service takes a repeat for another submission.
          return owner === ownerHash && hasTexts(attempt, 'values', 'clientKey') ? attempt : undefined;
        },
        forget: () => storage.set(key, null),
      };
    },
  };
  return storage;
}

/** @param open returns the storage. Where storage is blocked, reading this property of the window throws. */
function memory(open: () => Storage) {
  const withStorage = <T>(work: (storage: Storage) => T): T | null => {
    try {
      return work(open());
    } catch {
      return null;
    }
  };
  return {
    get: (key: string): unknown => withStorage((storage) => JSON.parse(storage.getItem(PREFIX + key) ?? 'null')),
    set: (key: string, value: unknown) =>
      withStorage((storage) =>
        value === null ? storage.removeItem(PREFIX + key) : storage.setItem(PREFIX + key, JSON.stringify(value)),
      ),
    /** Removes every key that begins with this. */
    clear: (beginning = '') =>
      withStorage((storage) => {
        for (const key of Object.keys(storage)) if (key.startsWith(PREFIX + beginning)) storage.removeItem(key);
      }),
  };
}
