import { hasTexts } from './api.ts';
import type { FieldView } from './field.ts';

// What the browser keeps: the ids of visitor and conversation, and the drafts. Where storage is blocked (sandboxed frames, privacy
// settings), nothing is kept.

const PREFIX = 'va-wave:';

export const perTab = memory(() => sessionStorage);
export const perBrowser = memory(() => localStorage);

/** An attempt to send. The same content keeps its key, also after a reload, so that another attempt cannot submit it twice. */
export type Attempt = { readonly values: string; readonly clientKey: string };

/** Keeps the visitor's input in the tab until it is sent. */
export function draft(siteId: string, slug: string, fields: readonly FieldView[]) {
  const key = `${siteId}:draft:${slug}`;
  return {
    save: (attempt: Attempt) => {
      // Prefill does not fill a field whose value was set. Only what the visitor has changed, or cleared, is kept and set again.
      const changed = fields.filter(({ input }) => input.value !== input.defaultValue);
      const typed = Object.fromEntries(changed.map(({ field, input }) => [field.key, input.value]));
      perTab.set(key, { typed, attempt });
    },
    /** Fills the fields. Returns the attempt that has no answer yet. */
    restore: (): Attempt | undefined => {
      const saved = Object(perTab.get(key));
      for (const { field, input } of fields) {
        const text = Object(saved.typed)[field.key];
        if (typeof text === 'string') input.value = text;
      }
      return hasTexts(saved.attempt, 'values', 'clientKey') ? saved.attempt : undefined;
    },
    forget: () => perTab.set(key, null),
  };
}

/**
 * Makes a visitor the owner of what the tab keeps of a site. What another user has left goes; a guest who becomes a user keeps the drafts.
 * @param userId empty for a guest, whose hash is 0. Only the hash is stored, because the id must not stay in the browser after a log-out
 */
export function ownTab(siteId: string, userId: string): void {
  let hash = 0;
  for (const unit of userId) hash = (Math.imul(hash, 31) + (unit.codePointAt(0) ?? 0)) | 0;
  const earlierOwner = perTab.get(`${siteId}:owner`);
  if (earlierOwner && earlierOwner !== hash) perTab.clear(`${siteId}:`);
  perTab.set(`${siteId}:owner`, hash);
}

/** @param open returns the storage. Where storage is blocked, reading this property of the window throws. */
function memory(open: () => Storage) {
  const tried = <T>(work: (storage: Storage) => T): T | null => {
    try {
      return work(open());
    } catch {
      return null;
    }
  };
  return {
    /** Returns a value that any script of the page may have written, or null. */
    get: (key: string): unknown => tried((storage) => JSON.parse(storage.getItem(PREFIX + key) ?? 'null')),
    /** Null removes. */
    set: (key: string, value: unknown) =>
      tried((storage) =>
        value === null ? storage.removeItem(PREFIX + key) : storage.setItem(PREFIX + key, JSON.stringify(value)),
      ),
    /** Removes every key that begins with this. */
    clear: (beginning = '') =>
      tried((storage) => {
        for (const key of Object.keys(storage)) if (key.startsWith(PREFIX + beginning)) storage.removeItem(key);
      }),
  };
}
