import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import type { Assistant } from '../../src/contract/assistants.ts';
import type { SessionClaims } from '../../src/contract/sessions.ts';
import type { Conversation } from '../../src/contract/widget.ts';
import type { WidgetCredentials } from '../../src/domain/auth/authenticate-widget.ts';
import type { Configuration, SessionTokens } from '../../src/domain/context.ts';
import type { Clock } from '../../src/domain/sources.ts';
import { SITE_ID } from './configuration.ts';
import { MemoryTables, memoryDynamoDb } from './tables.ts';

/** The credentials of a visitor's browser on `https://shop.example`, with the site id. */
export function siteIdCredentials(changes: Partial<WidgetCredentials> = {}): WidgetCredentials {
  return {
    siteId: SITE_ID,
    sessionToken: undefined,
    origin: 'https://shop.example',
    referer: undefined,
    ip: '198.51.100.7',
    ...changes,
  };
}

export function someClaims(changes: Partial<SessionClaims> = {}): SessionClaims {
  return { sub: 'user-1', jti: 'session-1', site_id: SITE_ID, iat: 1_772_600_000, exp: 1_772_600_900, ...changes };
}

/** Assistants by site id. A token is valid when it is a key of `tokens`. It names its site also when it is a key of `expired`. */
export function widgetAuthentication(setup: {
  readonly assistants: readonly Assistant[];
  readonly tokens?: Readonly<Record<string, SessionClaims>>;
  readonly expired?: Readonly<Record<string, SessionClaims>>;
}): { readonly configuration: Configuration; readonly tokens: SessionTokens } {
  const { assistants, tokens = {}, expired = {} } = setup;
  return {
    configuration: fakeConfiguration({
      findAssistant: async (siteId) => assistants.find((assistant) => assistant.site_id === siteId),
    }),
    tokens: fakeTokens({
      verifyToken: async (token) => tokens[token] ?? (token in expired ? 'expired' : 'not_a_token'),
      siteOfToken: (token) => (tokens[token] ?? expired[token])?.site_id,
    }),
  };
}

/** A configuration in which nothing is found, except what a test provides. */
export const fakeConfiguration = (found: Partial<Configuration> = {}): Configuration => ({
  findAssistant: async () => undefined,
  findAction: async () => undefined,
  findForm: async () => undefined,
  findTool: async () => undefined,
  formsOf: async () => ({ actions: [], unreadable: [] }),
  toolsOf: async () => ({ actions: [], unreadable: [] }),
  anyDomain: async () => false,
  ...found,
});

/** Session tokens of which none is valid, except what a test provides. */
export const fakeTokens = (known: Partial<SessionTokens> = {}): SessionTokens => ({
  signToken: async () => 'token',
  verifyToken: async () => 'not_a_token',
  verifyTokenOfTurn: async () => 'not_a_token',
  siteOfToken: () => undefined,
  ...known,
});

/** Returns a conversation that an anonymous visitor began. */
export function aConversation(changes: Partial<Conversation> = {}): Conversation {
  return {
    site_id: SITE_ID,
    conversation_id: 'c-1',
    session_id: 's',
    visitor_id: 'v',
    user_id: null,
    started_at: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

/** Returns the service's store of conversations over a table in memory, and what it holds. */
export function memoryConversations(now: Clock) {
  const tables = new MemoryTables();
  const store = conversations(memoryDynamoDb(tables), 'conversations', now);
  return { ...store, items: () => [...tables.items('conversations')] };
}
