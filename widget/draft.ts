import type { FieldView } from './field.ts';
import { perTab } from './storage.ts';

/** A try to send: the same content keeps its key, so that trying again cannot submit it twice, also after a reload. */
export type Attempt = { readonly values: string; readonly clientKey: string };

/**
 * What the visitor typed, kept in the tab until it was sent.
 * @param owner whose draft it is, so that whoever logs in next in this tab does not find it
 */
export function draft(owner: string, slug: string) {
  const key = `draft:${owner}:${slug}`;
  return {
    save: (fields: readonly FieldView[], attempt: Attempt) => {
      const typed = Object.fromEntries(fields.map((view) => [view.field.key, view.text()]));
      perTab.set(key, JSON.stringify({ typed, attempt }));
    },
    /** Fills the fields; returns the try that was not answered. */
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
 * Whose drafts they are: in Allowed Websites the tab's; with a session token its user's, by a hash, because the user's id has no
 * business in a browser after logging out. The service gives each anonymous token another id, so those share.
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
