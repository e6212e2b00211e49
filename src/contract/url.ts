import * as z from 'zod';
import { URL_ENCODED_MAX_BYTES, URL_MAX_CHARACTERS } from './limits.ts';
import { exceedsCharacters, isWellFormed, NOT_WELL_FORMED } from './text.ts';

/**
 * Checks an endpoint URL without a DNS lookup (spec "Limits": https only, at most 2000 characters as typed). The outbound address rule
 * checks the address later, at each delivery.
 *
 * @param maxBytes limit for the URL in the encoded form in which it is sent
 * @returns the parsed URL, or why it is refused
 */
export function parseEndpointUrl(text: string, maxBytes = URL_ENCODED_MAX_BYTES): URL | string {
  if (!isWellFormed(text)) return NOT_WELL_FORMED;
  if (exceedsCharacters(text, URL_MAX_CHARACTERS)) return `must be at most ${URL_MAX_CHARACTERS} characters`;
  if (!text.toLowerCase().startsWith('https://')) return 'must start with https://';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: WHATWG URL removes tab and newline silently, so they are refused first
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'must not contain spaces, control characters or backslashes';
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.hostname === '') return 'must be a valid URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.port === '0') return 'must not use port 0';
  if (url.href.length > maxBytes) return `must be at most ${maxBytes} bytes once encoded`;
  return url;
}

/** Checks an endpoint URL as parseEndpointUrl does. @returns why the URL is refused, or undefined when it is accepted */
export function endpointUrlProblem(text: string, maxBytes?: number): string | undefined {
  const parsed = parseEndpointUrl(text, maxBytes);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** Accepts an endpoint URL as endpointUrlProblem does. @param maxBytes limit for the URL in the encoded form in which it is sent */
export function endpointUrl(maxBytes?: number) {
  const checked = z.string().check((context) => {
    const problem = endpointUrlProblem(context.value, maxBytes);
    if (problem !== undefined) context.issues.push({ code: 'custom', input: context.value, message: problem });
  });
  return checked.meta({ description: 'Starts with https://', maxLength: URL_MAX_CHARACTERS, pattern: '^https://' });
}
