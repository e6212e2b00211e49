/** Allowed Domains and the Domain setting (spec "Authentication", Mode 1, rules 2 to 6). */

/** A host with its port, both as the browser's address bar means them. */
export type PageHost = {
  /** Lower case, punycode, without a port. */
  readonly hostname: string;
  /** The explicit or the scheme's own port. */
  readonly port: string;
  /** As browsers write it: what a header that allows this page says. */
  readonly origin: string;
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A saved entry, or why it is none: it could never match a page. */
export type HostEntry = { readonly entry: string } | { readonly problem: string };

const EXAMPLES = 'must be a host such as example.com or example.com:8443';

/**
 * What an entry becomes when it is saved: a leading http:// or https:// and everything after the host are stripped, the rest
 * lowercased. International names become punycode, as browsers send them. Refused is what could never match a page: no host,
 * another scheme, wildcards, credentials, a port or a name that no page has.
 */
export function readHostEntry(text: string): HostEntry {
  const bare = text.trim().replace(/^https?:\/\//i, '');
  if (/^(?:https?:$|[a-z][a-z0-9+.-]*:[/\\])/i.test(bare))
    return { problem: `${EXAMPLES}, with no scheme but http:// or https://` };
  const end = bare.search(/[/?#\\]/);
  const host = (end === -1 ? bare : bare.slice(0, end)).toLowerCase();
  if (host === '') return { problem: EXAMPLES };
  if (/[\s@%]/.test(host)) return { problem: `${EXAMPLES}, without spaces, user names and percent signs` };
  const port = /:(\d+)$/.exec(host)?.[1];
  if (port !== undefined && (Number(port) === 0 || Number(port) > 65535)) {
    return { problem: `${EXAMPLES}, with a port from 1 to 65535` };
  }
  // http: drops ":80", so the port is kept from the text: an entry with a port must match it exactly.
  const url = URL.parse(`http://${host}`);
  // A full-width asterisk becomes a plain one only in the parsed name.
  if (host.includes('*') || url?.hostname.includes('*')) return { problem: `${EXAMPLES}, without wildcards` };
  if (url === null || url.hostname === '' || url.pathname !== '/') return { problem: EXAMPLES };
  if (!couldBeResolved(url.hostname)) {
    return { problem: `${EXAMPLES}, of at most 253 characters, 1 to 63 between two dots` };
  }
  return { entry: port === undefined ? url.hostname : `${url.hostname}:${Number(port)}` };
}

/** RFC 1035, 2.3.4. A name may end with the dot of the root. */
function couldBeResolved(hostname: string): boolean {
  const labels = hostname.replace(/\.$/, '').split('.');
  return hostname.length <= 254 && labels.every((label) => label.length >= 1 && label.length <= 63);
}

/**
 * The page of a Referer header; undefined for other schemes, and for what no browser writes: a name that is not in its final
 * form, user info, tabs. Letter case aside, nothing is repaired.
 */
export function pageHost(header: string): PageHost | undefined {
  const written = /^(https?:\/\/([^/?#\\@\s]+?)(?::[1-9]\d{0,4})?)(?:[/?#]|$)/i.exec(header);
  const url = URL.parse(written?.[1] ?? '');
  if (url === null || url.hostname !== written?.[2]?.toLowerCase()) return undefined;
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
  return port === undefined ? undefined : { hostname: url.hostname, port, origin: url.origin };
}

/** The page of an Origin header: as pageHost, and nothing may follow the host and its port. */
export function originHost(header: string): PageHost | undefined {
  return /^https?:\/\/[^/?#]+$/i.test(header) ? pageHost(header) : undefined;
}

/** Exact host, no wildcards: an entry without a port matches any port, one with a port that port only. */
export function hostMatches(entry: string, page: PageHost): boolean {
  return entry === page.hostname || entry === `${page.hostname}:${page.port}`;
}

/** The entries that would match this page: the keys under which an index of entries is asked. */
export function entriesMatching(page: PageHost): readonly [string, string] {
  return [page.hostname, `${page.hostname}:${page.port}`];
}
