import type { FieldView } from './field.ts';
import { perTab } from './storage.ts';

/** An attempt to send. The same content keeps its key, also after a reload, so that another attempt cannot submit it twice. */
export type Attempt = { readonly values: string; readonly clientKey: string };

/**
 * Keeps the visitor's input in the tab until it is sent.
 * @param owner identifies the visitor, so that the next user who logs in in this tab does not see the draft
 */
export function draft(owner: string, slug: string) {
  const key = `draft:${owner}:${slug}`;
  return {
    save: (fields: readonly FieldView[], attempt: Attempt) => {
      const typed = Object.fromEntries(fields.map((view) => [view.field.key, view.text()]));
      perTab.set(key, JSON.stringify({ typed, attempt }));
    },
    /** Fills the fields. Returns the attempt that has no answer yet. */
    restore: (fields: readonly FieldView[]): Attempt | undefined => {
      const saved = parse(perTab.get(key));
      const typed = new Map(Object.entries(Object(saved.typed)));
      for (const view of fields) {
        const text = typed.get(view.field.key);
        if (typeof text === 'string') view.fill(text);
      }
      return isAttempt(saved.attempt) ? saved.attempt : undefined;
    },
    forget: () => perTab.set(key, null),
  };
}

/**
 * Returns the owner of the drafts. In Allowed Websites all drafts of a tab have the same owner. With a session token it is a hash of
 * the user id, because the id must not stay in the browser after a log-out. Anonymous tokens have a new id each and share one owner.
 */
export function ownerOf(visitorId: string, hasToken: boolean): string {
  if (!hasToken || visitorId.startsWith('anon_')) return '';
  let hash = 0;
  for (const unit of visitorId) hash = (Math.imul(hash, 31) + (unit.codePointAt(0) ?? 0)) | 0;
  return String(hash);
}

function parse(text: string | null): { readonly typed?: unknown; readonly attempt?: unknown } {
  try {
    return Object(JSON.parse(text ?? ''));
  } catch {
    return {};
  }
}

function isAttempt(value: unknown): value is Attempt {
  const { values, clientKey } = Object(value);
  return typeof values === 'string' && typeof clientKey === 'string';
}
