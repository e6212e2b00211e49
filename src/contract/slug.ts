import { NAME_MAX_CHARACTERS } from './limits.ts';

/** Model APIs accept no longer name of a tool. */
export const SLUG_MAX_CHARACTERS = 64;

/**
 * Returns the slug of a name: lower-case ASCII, at most SLUG_MAX_CHARACTERS, with hyphens for other characters and without accents. It is the
 * tool name of an AI-decided Action (spec "Action") and the last path segment of a Form. It begins with a letter, if need be by
 * `action-`: one name that does not makes Gemini's API refuse all tools. Of a name without Latin letters and digits, it has the end of the id.
 */
export function slugOf(name: string, actionId: string): string {
  const words = name
    // A character may be two UTF-16 units.
    .slice(0, NAME_MAX_CHARACTERS * 2)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  const slug = /^[a-z]/.test(words) ? words : `action-${words || actionId.slice(-8)}`;
  return slug.slice(0, SLUG_MAX_CHARACTERS).replace(/-$/, '');
}
