/** A conversation that this service minted. Only known ids are accepted, so that nobody writes into another's. */
export type Conversation = {
  readonly site_id: string;
  readonly conversation_id: string;
  readonly session_id: string;
  readonly visitor_id: string;
  /** User id of the session token it began with; a site-id conversation has none. */
  readonly user_id: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
};

export type FindConversation = (siteId: string, conversationId: string) => Promise<Conversation | undefined>;

/** In Session Signed a conversation stays with the user who began it. */
export function belongsTo(conversation: Conversation | undefined, userId: string | null): conversation is Conversation {
  return conversation !== undefined && conversation.user_id === userId;
}
