/**
 * Writes JSON with keys sorted by code point at every level, compact separators, and DEL and all non-ASCII characters as \uXXXX. This is
 * what Python's json module writes with sorted keys and compact separators (spec "Outbound: usage webhook"). Accepts only JSON values.
 */
export function canonicalJson(value: unknown): string {
  return write(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`);
  return `{${members.join(',')}}`;
}

/** Compares by code point. JavaScript compares UTF-16 units, which puts U+1F600 before U+FFFD. */
const compareCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
