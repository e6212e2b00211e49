import { VerificationError } from './verification-error.ts';

export type JsonObject = { readonly [key: string]: unknown };

/**
 * Parses the bytes of a body.
 * @throws VerificationError `request_malformed` when the bytes are not one JSON object in UTF-8
 */
export function jsonObject(bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value)) throw new VerificationError('request_malformed', 'The body is not a JSON object');
  return value;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
