import { endpointUrlProblem } from '../../src/contract/fields.ts';
import { URL_ENCODED_MAX_BYTES } from '../../src/contract/limits.ts';

const ofLength = (characters: number, one: string) => `https://a.example/${one.repeat(characters - 18)}`;

const SCHEME = 'must start with https://';
const INVALID = 'must be a valid URL';
const CREDENTIALS = 'must not contain credentials';
const SIGNS = 'must not contain spaces, control characters or backslashes';
const UNICODE = 'must be well-formed Unicode';

test.each<[string, string | undefined]>([
  ['HTTPS://A.example', undefined],
  ['https://a.example:8443/path?query=1#fragment', undefined],
  ['https://münchen.example/straße', undefined],
  ['https://[2001:db8::1]:8443/', undefined],
  [ofLength(2000, '😀'), undefined],
  ['', SCHEME],
  ['http://a.example/', SCHEME],
  ['a.example', SCHEME],
  [' https://a.example/', SCHEME],
  ['https:/a.example', SCHEME],
  ['javascript:alert(1)', SCHEME],
  ['https://', INVALID],
  ['https:///', INVALID],
  ['https://a.example:99999/', INVALID],
  ['https://[::1', INVALID],
  ['https://user@a.example/', CREDENTIALS],
  ['https://:pass@a.example/', CREDENTIALS],
  ['https://a.example:0/', 'must not use port 0'],
  ['https://a.example/ b', SIGNS],
  ['https://a.example/\n', SIGNS],
  ['https://a.ex\tample/', SIGNS],
  ['https://a.example\\@evil.example/', SIGNS],
  [ofLength(2001, 'x'), 'must be at most 2000 characters'],
  [ofLength(2001, '😀'), 'must be at most 2000 characters'],
  ['https://a.example/\ud83d', UNICODE],
  ['https://a.example/\ude00?', UNICODE],
])('the URL %p has the problem %p', (url, problem) => {
  expect(endpointUrlProblem(url)).toBe(problem);
});

test('a byte limit counts the URL as it is sent, and a typed URL of 2000 characters is always within that limit', () => {
  expect(endpointUrlProblem(ofLength(348, 'ü'), 2000)).toBeUndefined();
  expect(endpointUrlProblem(ofLength(349, 'ü'), 2000)).toBe('must be at most 2000 bytes once encoded');
  const longest = `https://a/?${'😀'.repeat(2000 - 11)}`;
  expect(new URL(longest).href.length).toBeLessThanOrEqual(URL_ENCODED_MAX_BYTES);
});
