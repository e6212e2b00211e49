/** A conversation that this service created. Only known ids are accepted, so that a visitor cannot write into another conversation. */
export type Conversation = {
  readonly site_id: string;
  readonly conversation_id: string;
  readonly session_id: string;
  readonly visitor_id: string;
  /** User id of the session token with which it began; null when it began without one. */
  readonly user_id: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
};

export type FindConversation = (siteId: string, conversationId: string) => Promise<Conversation | undefined>;

/** Returns whether a conversation belongs to this user. In Session Signed, only the user who began it can continue it. */
export function belongsTo(conversation: Conversation | undefined, userId: string | null): conversation is Conversation {
  return conversation !== undefined && conversation.user_id === userId;
}
