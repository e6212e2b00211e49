import { VerificationError } from './verification-error.ts';

/** A usage webhook has two levels. A hostile body with far more levels would exhaust the stack and cause a RangeError. */
const MAX_DEPTH = 64;

/**
 * Serializes parsed JSON with keys sorted at every level, compact separators, and DEL and non-ASCII characters as \uXXXX.
 * The service signs and sends usage webhooks in this form.
 *
 * @throws VerificationError `request_malformed` for more than 64 levels
 */
export function canonicalJson(value: unknown): string {
  return write(value, 1).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function write(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_DEPTH) throw new VerificationError('request_malformed', 'The body is nested too deeply');
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}
