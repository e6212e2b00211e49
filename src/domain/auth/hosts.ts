/** Allowed Domains and the Domain setting (spec "Authentication", Mode 1, rules 2 to 6). */

/** A host with its port, both as the browser's address bar means them. */
export type PageHost = {
  /** Lower case, punycode, without a port. */
  readonly hostname: string;
  /** The explicit or the scheme's own port. */
  readonly port: string;
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * What an entry becomes when it is saved: a leading http:// or https:// and everything after the host are stripped, the rest
 * lowercased. International names become punycode, as browsers send them.
 * Returns undefined for an entry that can never match a page: no host, another scheme, wildcards, credentials, a port out of range.
 */
export function normalizeHostEntry(entry: string): string | undefined {
  const bare = entry.trim().replace(/^https?:\/\//i, '');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(bare)) return undefined;
  const end = bare.search(/[/?#\\]/);
  const host = (end === -1 ? bare : bare.slice(0, end)).toLowerCase();
  if (host === '' || /[\s@*%]/.test(host)) return undefined;
  const port = /:(\d{1,5})$/.exec(host)?.[1];
  // http: drops ":80", so the port is kept from the text: an entry with a port must match it exactly.
  const url = URL.parse(`http://${host}`);
  if (url === null || url.hostname === '' || url.pathname !== '/' || Number(port) > 65535) return undefined;
  // A full-width asterisk becomes a plain one only here.
  if (url.hostname.includes('*')) return undefined;
  if (host.endsWith(':')) return url.hostname;
  return port === undefined ? url.hostname : `${url.hostname}:${Number(port)}`;
}

/** The host of an Origin or Referer header; undefined for `null`, other schemes and anything malformed. */
export function pageHost(header: string): PageHost | undefined {
  const url = URL.parse(header);
  if (url === null) return undefined;
  const defaultPort = DEFAULT_PORTS[url.protocol];
  if (defaultPort === undefined || url.hostname === '') return undefined;
  return { hostname: url.hostname, port: url.port === '' ? defaultPort : url.port };
}

/** Exact host, no wildcards: an entry without a port matches any port, one with a port that port only. */
export function hostMatches(entry: string, page: PageHost): boolean {
  return entry === page.hostname || entry === `${page.hostname}:${page.port}`;
}

/** The entries that would match this page: the keys under which an index of entries is asked. */
export function entriesMatching(page: PageHost): readonly [string, string] {
  return [page.hostname, `${page.hostname}:${page.port}`];
}
