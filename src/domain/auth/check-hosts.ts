import type { Assistant } from '../../contract/assistants.ts';
import type { PageVerdict } from '../../contract/dashboard.ts';
import { Refusal } from '../refusal.ts';
import { admitWidget } from './authenticate-widget.ts';
import { allowedOrigin } from './cors.ts';
import { hostMatches, pageHost, readHostEntry } from './hosts.ts';

/** Normalizes an entry of Allowed Domains as a save does. Returns null for an entry that can never match a page. */
export function normalizedEntry(entry: string): string | null {
  const read = readHostEntry(entry);
  return 'entry' in read ? read.entry : null;
}

export type PageSettings = Pick<Assistant, 'authentication_mode' | 'enabled' | 'domain' | 'allowed_domains'>;

/**
 * Checks whether a widget on a page would start. Uses the same code that answers the browser's cross-origin check and that admits a
 * widget. Assumes a visitor on the IP allowlist and, in Session Signed, a valid token.
 * @param address of the page, as an admin types it, with or without https://
 */
export function checkPage(address: string, settings: PageSettings): PageVerdict {
  const typed = address.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`);
  // Parsing normalizes the typed address as a browser does before it sends it.
  const page = url === null ? undefined : pageHost(url.origin);
  if (page === undefined) return { host: null, matched_by: null, refused_by: [] };
  const saved = {
    ...settings,
    domain: normalizedEntry(settings.domain) ?? '',
    allowed_domains: settings.allowed_domains.flatMap((entry) => normalizedEntry(entry) ?? []),
  };
  const refusing = refusingSetting(page.origin, saved);
  const blocked = allowedOrigin(saved, page.origin) === undefined;
  return {
    host: page.origin.replace(/^https?:\/\//, ''),
    matched_by: saved.allowed_domains.find((entry) => hostMatches(entry, page)) ?? null,
    refused_by: [...(blocked ? ['domain' as const] : []), ...(refusing === undefined ? [] : [refusing])],
  };
}

function refusingSetting(origin: string, settings: PageSettings): 'allowed_domains' | 'enabled' | undefined {
  const signed = settings.authentication_mode === 'Session Signed';
  const credentials = {
    siteId: 'asked',
    sessionToken: signed ? 'asked' : undefined,
    origin,
    referer: undefined,
    ip: '',
  };
  try {
    admitWidget({ credentials, assistant: { ...settings, ip_allowlist: [] }, claims: signed ? {} : undefined });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'site_disabled') return 'enabled';
    if (error.code === 'origin_not_allowed' || error.code === 'no_allowed_domains') return 'allowed_domains';
    throw error;
  }
}
