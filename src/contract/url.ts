import * as z from 'zod';
import { exceedsCharacters } from './characters.ts';
import { URL_MAX_CHARACTERS } from './limits.ts';

/**
 * What can be said of an endpoint URL before it is resolved (spec "Limits": https only, at most 2000 characters).
 * Returns the reason why it is refused, undefined when it is well formed. Where the URL leads is the outbound guard's affair.
 */
export function endpointUrlProblem(text: string): string | undefined {
  if (exceedsCharacters(text, URL_MAX_CHARACTERS)) return `must be at most ${URL_MAX_CHARACTERS} characters`;
  if (!text.toLowerCase().startsWith('https://')) return 'must start with https://';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: WHATWG URL drops tab and newline silently, so they are refused first
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'must not contain spaces, control characters or backslashes';
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.hostname === '') return 'must be a valid URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.port === '0') return 'must not use port 0';
  if (url.href.length > URL_MAX_CHARACTERS) return `must be at most ${URL_MAX_CHARACTERS} characters once encoded`;
  return undefined;
}

export const endpointUrl = z.string().check((context) => {
  const problem = endpointUrlProblem(context.value);
  if (problem !== undefined) context.issues.push({ code: 'custom', input: context.value, message: problem });
});
