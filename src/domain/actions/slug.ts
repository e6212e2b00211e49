import { NAME_MAX_CHARACTERS } from '../../contract/limits.ts';

/**
 * Lower-case ASCII of a name, other characters as hyphens, at most 64 characters: the tool name of an AI-decided Action
 * (spec "Action") and the last path segment of a Form. Accents are dropped. A name without any Latin letter or digit has
 * the end of the Action's id instead.
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
