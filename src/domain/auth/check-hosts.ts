import { entriesMatching, pageHost, readHostEntry } from './hosts.ts';

export type HostCheck = {
  /** `normalized` is null for an entry that could never match a page. */
  readonly entries: { readonly entry: string; readonly normalized: string | null }[];
  /** Null when no page was asked about. */
  readonly page: { readonly host: string | null; readonly matched_by: string | null } | null;
};

/** What entries of Allowed Domains become when they are saved, and which of them would allow a page. */
export function checkHosts(entries: readonly string[], page: string | undefined): HostCheck {
  const normalized = entries.map((entry) => {
    const read = readHostEntry(entry);
    return { entry, normalized: 'entry' in read ? read.entry : null };
  });
  if (page === undefined) return { entries: normalized, page: null };
  const typed = page.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`);
  // What somebody types, the browser brings into the form that it sends.
  const host = url === null ? undefined : pageHost(url.origin);
  if (host === undefined) return { entries: normalized, page: { host: null, matched_by: null } };
  const matching: readonly string[] = entriesMatching(host);
  const found = normalized.find((entry) => entry.normalized !== null && matching.includes(entry.normalized));
  return { entries: normalized, page: { host: host.hostname, matched_by: found?.entry ?? null } };
}
