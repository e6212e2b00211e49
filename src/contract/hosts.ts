// Allowed Domains and the Domain setting (spec "Authentication", Mode 1, rules 2 to 5).
import { invisibleProblem } from './invisible-characters.ts';

export type PageHost = {
  /** Lower case, punycode, without a port. */
  readonly hostname: string;
  /** The explicit port, or the default port of http and https; '' for an app without one. */
  readonly port: string;
  /** The origin in the form that browsers send, for Access-Control-Allow-Origin. */
  readonly origin: string;
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A normalized entry, or the reason why the text can never match a page. */
export type HostEntry = { readonly entry: string } | { readonly problem: string };

const MUST_BE_HOST = 'must be a host such as example.com or example.com:8443';

/**
 * Normalizes an entry as a save does. Removes a leading http:// or https:// and everything after the host, and changes the rest to lower
 * case. International names become punycode, as browsers send them. Refuses text that can never match a page: without a host, with
 * another scheme, wildcards, credentials, characters of no host name or that nobody can see, or with an impossible port or length.
 */
export function readHostEntry(text: string): HostEntry {
  const bare = text.trim().replace(/^https?:\/\//i, '');
  const invisible = invisibleProblem(bare);
  if (invisible !== undefined) return { problem: invisible };
  if (/^(?:https?:$|[a-z][a-z0-9+.-]*:[/\\])/i.test(bare))
    return { problem: `${MUST_BE_HOST}, without a scheme other than http:// or https://` };
  const end = bare.search(/[/?#\\]/);
  const host = (end === -1 ? bare : bare.slice(0, end)).toLowerCase();
  if (host === '') return { problem: MUST_BE_HOST };
  if (/[\s@%]/.test(host)) return { problem: `${MUST_BE_HOST}, without spaces, user names and percent signs` };
  const port = /:(\d+)$/.exec(host)?.[1];
  if (port !== undefined && (Number(port) === 0 || Number(port) > 65535)) {
    return { problem: `${MUST_BE_HOST}, with a port from 1 to 65535` };
  }
  // URL.parse removes the default port ":80", so the port is taken from the text: an entry with a port must match it exactly.
  const url = URL.parse(`http://${host}`);
  // Parsing turns a full-width asterisk into a plain one.
  if (host.includes('*') || url?.hostname.includes('*')) return { problem: `${MUST_BE_HOST}, without wildcards` };
  if (url === null) return { problem: MUST_BE_HOST };
  // An IP address of version 6 has brackets.
  if (!/^(?:[\w.-]+|\[.+\])$/.test(url.hostname))
    return { problem: `${MUST_BE_HOST}, with letters, digits, hyphens and underscores between two dots` };
  if (!couldBeResolved(url.hostname))
    return { problem: `${MUST_BE_HOST}, with at most 253 characters, and 1 to 63 characters between two dots` };
  return { entry: port === undefined ? url.hostname : `${url.hostname}:${Number(port)}` };
}

/** Checks the lengths of RFC 1035, 2.3.4. A name may end with the dot of the root. */
function couldBeResolved(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/**
 * Returns the page of a Referer header, also one of an app (capacitor://localhost). Returns undefined for text that no browser sends: a
 * name that is not normalized, user info, tabs. Normalizes only the case of letters.
 */
export function pageHost(header: string): PageHost | undefined {
  const writtenPage = /^([a-z][a-z0-9+.-]*:\/\/([^/?#\\@\s]+?)(?::[1-9]\d{0,4})?)(?:[/?#]|$)/i.exec(header);
  const url = URL.parse(writtenPage?.[1] ?? '');
  if (url === null || url.hostname !== writtenPage?.[2]?.toLowerCase()) return undefined;
  const port = url.port || (DEFAULT_PORTS[url.protocol] ?? '');
  // `url.origin` is "null" for the scheme of an app.
  return { hostname: url.hostname, port, origin: `${url.protocol}//${url.host}` };
}

/** Returns the page of an Origin header as pageHost does, but accepts nothing after the host and port. */
export const originHost = (header: string): PageHost | undefined =>
  /^[^/?#]+:\/\/[^/?#]+$/.test(header) ? pageHost(header) : undefined;

/** Returns whether an entry matches a page: exact host, no wildcards. An entry without a port matches any port, an entry with a port only that port. */
export const hostMatches = (entry: string, page: PageHost): boolean => entriesMatching(page).includes(entry);

/** Returns the two entries that match this page, as keys for an index of entries. */
export const entriesMatching = ({ hostname, port }: PageHost) => [hostname, `${hostname}:${port}`] as const;
