import type { Assistant } from '../../contract/assistants.ts';
import { hostMatches, originHost, pageHost } from '../../contract/hosts.ts';
import type { SessionClaims } from '../../contract/sessions.ts';
import { identifier } from '../../contract/widget.ts';
import type { Context, SessionTokens } from '../context.ts';
import { Refusal, type TokenProblem } from '../refusal.ts';
import { ipAllowed } from './ip-addresses.ts';

/** The parts of a widget's request that identify its site and its page. */
export type WidgetCredentials = {
  readonly siteId: string | undefined;
  readonly sessionToken: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly ip: string;
};

/** A widget's request with its assistant and claims, before it is admitted. */
export type IdentifiedWidget = {
  readonly credentials: WidgetCredentials;
  readonly assistant: Assistant | undefined;
  /** Undefined when the request has no token or an invalid one. */
  readonly claims: SessionClaims | undefined;
  readonly tokenProblem?: TokenProblem;
};

/** Returns the site that a request claims, without verification. The session token takes precedence over the site id. */
function claimedSite(credentials: WidgetCredentials, tokens: SessionTokens): string | undefined {
  const siteId = credentials.sessionToken ? tokens.siteOfToken(credentials.sessionToken) : credentials.siteId;
  return identifier.safeParse(siteId).success ? siteId : undefined;
}

/** Reads the assistant and verifies the token at the same time. Refuses nothing. */
export async function identifyWidget(
  credentials: WidgetCredentials,
  { configuration, tokens }: Context<'configuration' | 'tokens'>,
): Promise<IdentifiedWidget> {
  const siteId = claimedSite(credentials, tokens);
  const [assistant, verdict] = await Promise.all([
    siteId === undefined ? undefined : configuration.findAssistant(siteId),
    credentials.sessionToken ? tokens.verifyToken(credentials.sessionToken) : undefined,
  ]);
  return typeof verdict === 'string'
    ? { credentials, assistant, claims: undefined, tokenProblem: verdict }
    : { credentials, assistant, claims: verdict };
}

/**
 * Admits a widget or refuses it. Checks in this order: no credentials, invalid token, unknown site, disabled site, mode, Allowed
 * Domains (empty list, missing header, host), IP allowlist (spec "Widget init" errors; the spec leaves the order open). A valid token
 * stands in place of mode and Allowed Domains: with it, the customer's backend has admitted the visitor.
 * @throws Refusal 401, or 403 for the IP allowlist
 */
export function admitWidget({ credentials, assistant, claims, tokenProblem }: IdentifiedWidget): Assistant {
  if (!credentials.sessionToken && !credentials.siteId) throw new Refusal('credentials_required');
  if (tokenProblem !== undefined)
    throw new Refusal('session_token_invalid', { facts: { token_problem: tokenProblem } });
  if (assistant === undefined) throw new Refusal('site_not_found');
  if (!assistant.enabled || assistant.suspended) throw new Refusal('site_disabled');
  if (claims === undefined) {
    if (assistant.authentication_mode === 'Session Signed') throw new Refusal('session_token_required');
    admitOrigin(credentials, assistant.allowed_domains);
  }
  if (!ipAllowed(assistant.ip_allowlist, credentials.ip)) throw new Refusal('ip_not_allowed');
  return assistant;
}

/** Admits a request from a page on one of these hosts, by its Origin, else by its Referer. @throws Refusal 401 */
export function admitOrigin({ origin, referer }: WidgetCredentials, entries: readonly string[]): void {
  if (entries.length === 0) throw new Refusal('no_allowed_domains');
  if (!origin && !referer) throw new Refusal('origin_required');
  const page = origin ? originHost(origin) : pageHost(referer ?? '');
  if (page === undefined || !entries.some((entry) => hostMatches(entry, page))) throw new Refusal('origin_not_allowed');
}
