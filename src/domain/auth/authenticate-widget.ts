import type { Assistant } from '../../contract/assistants.ts';
import type { SessionClaims } from '../../contract/sessions.ts';
import { identifier } from '../../contract/widget.ts';
import { Refusal } from '../refusal.ts';
import { hostMatches, originHost, pageHost } from './hosts.ts';
import { ipAllowed } from './ip-addresses.ts';

/** What a widget's request brings along to say who and where it is. */
export type WidgetCredentials = {
  readonly siteId: string | undefined;
  readonly sessionToken: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly ip: string;
};

export type WidgetAuthenticationPorts = {
  /** Strongly consistent, so that a switch in the dashboard works at once. */
  readonly findAssistant: (siteId: string) => Promise<Assistant | undefined>;
  /** The claims of a token with a valid signature that has not expired, else undefined. */
  readonly verifyToken: (token: string) => Promise<SessionClaims | undefined>;
  /** The site that a token names, unverified: enough to find whose CORS setting counts, and for nothing else. */
  readonly siteOfToken: (token: string) => string | undefined;
};

/** Who a request speaks for, before anything is judged. */
export type IdentifiedWidget = {
  readonly credentials: WidgetCredentials;
  readonly assistant: Assistant | undefined;
  /** Undefined without a token, or when the token is not valid. */
  readonly claims: SessionClaims | undefined;
};

/** The site that the request speaks for, before anything is proven. The session token wins over the site id. */
export function claimedSite(
  credentials: WidgetCredentials,
  ports: Pick<WidgetAuthenticationPorts, 'siteOfToken'>,
): string | undefined {
  const siteId = credentials.sessionToken ? ports.siteOfToken(credentials.sessionToken) : credentials.siteId;
  return identifier.safeParse(siteId).success ? siteId : undefined;
}

/** Looks the site and the token up side by side; judges nothing. */
export async function identifyWidget(
  credentials: WidgetCredentials,
  ports: WidgetAuthenticationPorts,
): Promise<IdentifiedWidget> {
  const siteId = claimedSite(credentials, ports);
  const [assistant, claims] = await Promise.all([
    siteId === undefined ? undefined : ports.findAssistant(siteId),
    credentials.sessionToken ? ports.verifyToken(credentials.sessionToken) : undefined,
  ]);
  return { credentials, assistant, claims };
}

/** The settings that admission looks at. */
export type AdmissionSettings = Pick<
  Assistant,
  'enabled' | 'suspended' | 'authentication_mode' | 'allowed_domains' | 'ip_allowlist'
>;

/**
 * Lets a widget in or refuses it, in this order: no credentials, invalid token, unknown site, disabled site, mode, Allowed
 * Domains (empty list, missing header, host), IP allowlist (spec "Widget init" errors; the order is ours).
 * @throws Refusal 401, or 403 for the IP allowlist
 */
export function admitWidget<Settings extends AdmissionSettings>({
  credentials,
  assistant,
  claims,
}: {
  readonly credentials: WidgetCredentials;
  readonly assistant: Settings | undefined;
  readonly claims: object | undefined;
}): Settings {
  if (!credentials.sessionToken && !credentials.siteId) throw new Refusal('credentials_required');
  if (credentials.sessionToken && claims === undefined) throw new Refusal('session_token_invalid');
  if (assistant === undefined) throw new Refusal('site_not_found');
  if (!assistant.enabled || assistant.suspended) throw new Refusal('site_disabled');
  if (claims === undefined) {
    if (assistant.authentication_mode === 'Session Signed') throw new Refusal('session_token_required');
    admitOrigin(credentials, assistant.allowed_domains);
  }
  if (!ipAllowed(assistant.ip_allowlist, credentials.ip)) throw new Refusal('ip_not_allowed');
  return assistant;
}

/**
 * The request must come from a page on one of these hosts: its Origin, or its Referer when Origin is absent.
 * @throws Refusal 401
 */
export function admitOrigin(
  credentials: Pick<WidgetCredentials, 'origin' | 'referer'>,
  entries: readonly string[],
): void {
  if (entries.length === 0) throw new Refusal('no_allowed_domains');
  if (!credentials.origin && !credentials.referer) throw new Refusal('origin_required');
  const page = credentials.origin ? originHost(credentials.origin) : pageHost(credentials.referer ?? '');
  if (page === undefined || !entries.some((entry) => hostMatches(entry, page))) {
    throw new Refusal('origin_not_allowed');
  }
}
