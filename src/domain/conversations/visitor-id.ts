import type { NewId } from '../sources.ts';

/** What an anonymous visitor's id begins with, and no user id in an event does. */
const ANONYMOUS_PREFIX = 'visitor_';
/** An identifier of the wire has at most so many characters. */
const MAX_CHARACTERS = 128;

/**
 * The id of a visitor without a session token. The browser names the one that it was given before; any other name gets the prefix,
 * so that nobody can pass for a user of the customer's by choosing the user's id.
 */
export function anonymousVisitorId(named: string | undefined, newId: NewId): string {
  if (named?.startsWith(ANONYMOUS_PREFIX)) return named;
  return `${ANONYMOUS_PREFIX}${named ?? newId()}`.slice(0, MAX_CHARACTERS);
}

/**
 * The visitor id of a user whom the customer's backend named. It is the user id itself, except that one which looks like an anonymous
 * visitor's gets a tilde in front: two different users, or a user and a visitor, never share an id.
 */
export function userVisitorId(userId: string): string {
  return /^~*visitor_/.test(userId) ? `~${userId}` : userId;
}
