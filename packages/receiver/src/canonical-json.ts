/**
 * JSON with keys sorted at every level, compact separators, DEL and non-ASCII characters as \uXXXX: what a usage webhook's signature
 * is computed over, and how the service sends it. Takes parsed JSON.
 */
export function canonicalJson(value: unknown): string {
  return write(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`);
  return `{${members.join(',')}}`;
}
