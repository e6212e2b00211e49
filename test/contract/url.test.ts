import { URL_ENCODED_MAX_BYTES } from '../../src/contract/limits.ts';
import { endpointUrlProblem } from '../../src/contract/url.ts';

const ofLength = (characters: number, one = 'x') => `https://a.example/${one.repeat(characters - 18)}`;

test.each([
  'https://a.example',
  'HTTPS://A.example/',
  'https://a.example:8443/path?query=1#fragment',
  'https://münchen.example/straße',
  'https://198.51.100.7/',
  'https://[2001:db8::1]:8443/',
  ofLength(2000),
  ofLength(2000, 'ü'),
  ofLength(2000, '😀'),
])('%p is well formed', (url) => {
  expect(endpointUrlProblem(url)).toBeUndefined();
});

test.each<[string, string]>([
  ['', 'must start with https://'],
  ['http://a.example/', 'must start with https://'],
  ['a.example', 'must start with https://'],
  [' https://a.example/', 'must start with https://'],
  ['https:/a.example', 'must start with https://'],
  ['javascript:alert(1)', 'must start with https://'],
  ['https://', 'must be a valid URL'],
  ['https:///', 'must be a valid URL'],
  ['https://a.example:99999/', 'must be a valid URL'],
  ['https://[::1', 'must be a valid URL'],
  ['https://user@a.example/', 'must not contain credentials'],
  ['https://user:pass@a.example/', 'must not contain credentials'],
  ['https://:pass@a.example/', 'must not contain credentials'],
  ['https://a.example:0/', 'must not use port 0'],
  ['https://a.example/ b', 'must not contain spaces, control characters or backslashes'],
  ['https://a.example/\n', 'must not contain spaces, control characters or backslashes'],
  ['https://a.ex\tample/', 'must not contain spaces, control characters or backslashes'],
  ['https://a.example\\@evil.example/', 'must not contain spaces, control characters or backslashes'],
  [ofLength(2001), 'must be at most 2000 characters'],
  [ofLength(2001, '😀'), 'must be at most 2000 characters'],
  ['https://a.example/\ud83d', 'must be well-formed Unicode'],
  ['https://a.example/\ude00?', 'must be well-formed Unicode'],
])('%p is refused: %p', (url, problem) => {
  expect(endpointUrlProblem(url)).toBe(problem);
});

test('a byte limit counts the URL as it is sent', () => {
  expect(endpointUrlProblem(`https://a.example/${'ü'.repeat(330)}`, 2000)).toBeUndefined();
  expect(endpointUrlProblem(`https://a.example/${'ü'.repeat(331)}`, 2000)).toBe(
    'must be at most 2000 bytes once encoded',
  );
});

test('a typed URL of 2000 characters is always within the limit of the sent URL', () => {
  const longest = `https://a/?${'😀'.repeat(2000 - 11)}`;
  expect(new URL(longest).href.length).toBeLessThanOrEqual(URL_ENCODED_MAX_BYTES);
});
