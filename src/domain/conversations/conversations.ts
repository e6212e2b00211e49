import { type Conversation, IDENTIFIER_MAX_CHARACTERS } from '../../contract/widget.ts';
import type { NewId } from '../sources.ts';

/** Returns whether a conversation belongs to this user. In Session Signed, only the user who began it can continue it. */
export function belongsTo(conversation: Conversation | undefined, userId: string | null): conversation is Conversation {
  return conversation !== undefined && conversation.user_id === userId;
}

/** Prefix of the id of an anonymous visitor. No user id in an event has it. */
const ANONYMOUS_PREFIX = 'visitor_';

/**
 * Returns the id of a visitor without a session token. The browser may name the id that it received before. Any other text gets the
 * prefix, so that a visitor cannot impersonate a user of the customer by choosing that user's id.
 */
export function anonymousVisitorId(named: string | undefined, newId: NewId): string {
  if (named?.startsWith(ANONYMOUS_PREFIX)) return named;
  return `${ANONYMOUS_PREFIX}${named ?? newId()}`.slice(0, IDENTIFIER_MAX_CHARACTERS);
}

/**
 * Returns the visitor id of a user whom the customer's backend named: the user id itself. A user id that looks like the id of an
 * anonymous visitor gets a tilde in front, so that two users, or a user and a visitor, never share an id.
 */
export function userVisitorId(userId: string): string {
  return /^~*visitor_/.test(userId) ? `~${userId}` : userId;
}
