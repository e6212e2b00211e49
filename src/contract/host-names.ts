/**
 * Top-level names that never belong to a public server: IANA's special-use names, ICANN's `internal`, and names that home and office
 * networks resolve themselves (RFC 6762 appendix G, ICANN's name collision list).
 */
const LOCAL_TOP_LEVEL_NAMES =
  /^(?:alt|arpa|corp|domain|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|mail|onion|private|test|workgroup)$/;

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Returns why a host name must not be resolved; undefined when it may be (spec "Limits", Private addresses). This rule prevents DNS queries
 * for local names. Each address of a resolved name is checked in addition. The lengths are those of RFC 1035, 2.3.4.
 * @param name lower-cased ASCII as WHATWG URL writes it, without a trailing dot
 */
export function nameProblem(name: string): string | undefined {
  const labels = name.split('.');
  if (name.length > 253 || !labels.every((label) => LABEL.test(label))) return 'not a valid host name';
  if (LOCAL_TOP_LEVEL_NAMES.test(labels.at(-1) ?? '')) return 'a special-use name';
  if (labels.length === 1) return 'a name without a dot';
  return undefined;
}
