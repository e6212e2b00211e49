import type { AssistantSettings } from './assistants.ts';
import type { PageVerdict } from './dashboard.ts';
import { hostMatches, type PageHost, pageHost, readHostEntry } from './hosts.ts';

/** Normalizes an entry of Allowed Domains as a save does. Returns null for an entry that can never match a page. */
export function normalizedEntry(entry: string): string | null {
  const hostEntry = readHostEntry(entry);
  return 'entry' in hostEntry ? hostEntry.entry : null;
}

/** The settings that decide whether a widget on a page starts. */
export type PageSettings = Pick<AssistantSettings, 'authentication_mode' | 'enabled' | 'domain' | 'allowed_domains'>;

/**
 * Checks whether a widget on a page would start, by the rules that answer the browser's cross-origin check (cors.ts) and that admit a widget
 * (authenticate-widget.ts). Assumes a visitor on the IP allowlist and, in Session Signed, a valid token.
 * @param address of the page, as an admin types it, with or without https://
 */
export function checkPage(address: string, settings: PageSettings): PageVerdict {
  const typedAddress = address.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typedAddress) ? typedAddress : `https://${typedAddress}`);
  // Parsing normalizes the typed address as a browser does before it sends it.
  const page = url === null ? undefined : pageHost(`${url.protocol}//${url.host}`);
  if (page === undefined) return { host: null, matched_by: null, refused_by: [] };
  const savedSettings = normalizedSettings(settings);
  return {
    host: page.origin.replace(/^https?:\/\//, ''),
    matched_by: savedSettings.allowed_domains.find((entry) => hostMatches(entry, page)) ?? null,
    refused_by: refusalsOf(page, savedSettings),
  };
}

function normalizedSettings(settings: PageSettings): PageSettings {
  return {
    ...settings,
    domain: normalizedEntry(settings.domain) ?? '',
    allowed_domains: settings.allowed_domains.flatMap((entry) => normalizedEntry(entry) ?? []),
  };
}

/** Returns the settings that prevent the widget on a page. The service refuses a disabled assistant before it compares Allowed Domains. */
function refusalsOf(page: PageHost, settings: PageSettings): PageVerdict['refused_by'] {
  const { domain, enabled, allowed_domains, authentication_mode } = settings;
  const refusingSettings: PageVerdict['refused_by'] = hostMatches(domain, page) ? [] : ['domain'];
  if (!enabled) return [...refusingSettings, 'enabled'];
  const isListed =
    authentication_mode === 'Session Signed' || allowed_domains.some((entry) => hostMatches(entry, page));
  return isListed ? refusingSettings : [...refusingSettings, 'allowed_domains'];
}

/** The settings that decide on which pages the widget of an assistant appears. */
export type SiteSettings = PageSettings & {
  /** Whether the assistant has a server secret. Without one, nobody can create the tokens of Session Signed. */
  readonly server_secret: object | null;
  readonly isSuspended: boolean;
};

export type SiteVerdict = {
  /** The addresses; one without a port stands for every port. */
  readonly hosts: readonly string[];
  /** Why the widget appears on no page; empty when it appears on one. */
  readonly refused_by: readonly (PageVerdict['refused_by'][number] | 'server_secret' | 'suspended')[];
  /** The entries of Allowed Domains on which no widget can appear, because no page on them is on the Domain. */
  readonly uselessEntries: readonly string[];
};

/** Says on which pages the widget of an assistant appears: the pages of its Domain that checkPage allows. */
export function whereItRuns(settings: SiteSettings): SiteVerdict {
  const savedSettings = normalizedSettings(settings);
  const { domain, allowed_domains, authentication_mode } = savedSettings;
  const { enabled, isSuspended, server_secret } = settings;
  const isSessionSigned = authentication_mode === 'Session Signed';
  /** The pages that these Allowed Domains and the Domain have in common, also of a disabled assistant. Of two that match, it is the one with the port, if any has one. */
  const allowedPages = (entries: string[]) =>
    [...new Set([domain, ...entries])].filter(
      (entry) => refusalsOf(pageOf(entry), { ...savedSettings, enabled: true, allowed_domains: entries }).length === 0,
    );
  const allowedHosts = allowedPages(allowed_domains);
  const refused_by: SiteVerdict['refused_by'][number][] = [];
  if (isSuspended) refused_by.push('suspended');
  if (!enabled) refused_by.push('enabled');
  if (domain === '') refused_by.push('domain');
  else if (allowedHosts.length === 0) refused_by.push('allowed_domains');
  if (isSessionSigned && server_secret === null) refused_by.push('server_secret');
  const uselessEntries =
    isSessionSigned || domain === '' ? [] : allowed_domains.filter((entry) => allowedPages([entry]).length === 0);
  return { hosts: refused_by.length === 0 ? allowedHosts : [], refused_by, uselessEntries };
}

/** Returns the pages that an entry matches: one port, or with an empty port all of them. Only the host and port are compared. */
function pageOf(entry: string): PageHost {
  const [, hostname = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { hostname, port, origin: '' };
}
