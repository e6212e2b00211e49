import { NAME_MAX_CHARACTERS } from './limits.ts';

/**
 * Returns the slug of a name: lower-case ASCII, at most 64 characters, with hyphens for other characters and without accents. It is the
 * tool name of an AI-decided Action (spec "Action") and the last path segment of a Form. The slug of a name without Latin letters and
 * digits is made from the end of the Action's id.
 */
export function slugOf(name: string, actionId: string): string {
  const slug = name
    .slice(0, NAME_MAX_CHARACTERS * 2)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? `action-${actionId.slice(-8)}` : slug;
}
