import { checkPage, normalizedEntry, type PageSettings } from '../../../src/domain/auth/check-hosts.ts';

const settings = (changes: Partial<PageSettings> = {}): PageSettings => ({
  authentication_mode: 'Allowed Websites',
  enabled: true,
  domain: 'shop.example',
  allowed_domains: ['shop.example'],
  ...changes,
});

describe('a widget on a page starts', () => {
  test.each<[string, Partial<PageSettings>, string | null]>([
    ['https://shop.example/cart', {}, 'shop.example'],
    ['shop.example', {}, 'shop.example'],
    ['HTTP://SHOP.example:8080/', {}, 'shop.example'],
    ['https://shop.example', { domain: 'shop.example:443', allowed_domains: ['shop.example:443'] }, 'shop.example:443'],
    [
      'https://münchen.example',
      { domain: 'MÜNCHEN.example', allowed_domains: ['münchen.example'] },
      'xn--mnchen-3ya.example',
    ],
    ['https://shop.example/', { authentication_mode: 'Session Signed', allowed_domains: [] }, null],
  ])('%s with %j', (address, changes, matched_by) => {
    expect(checkPage(address, settings(changes))).toMatchObject({ matched_by, refused_by: [] });
  });
});

describe('the result names the setting that prevents the start', () => {
  test.each<[string, Partial<PageSettings>, readonly string[]]>([
    ['https://www.shop.example/', { allowed_domains: ['shop.example', 'www.shop.example'] }, ['domain']],
    ['https://shop.example/', { domain: '' }, ['domain']],
    ['https://shop.example/', { domain: 'not a host' }, ['domain']],
    ['https://shop.example/', { domain: 'shop.example:8443' }, ['domain']],
    ['https://shop.example/', { allowed_domains: [] }, ['allowed_domains']],
    ['https://shop.example/', { allowed_domains: ['www.shop.example', '*.example'] }, ['allowed_domains']],
    ['https://other.example/', {}, ['domain', 'allowed_domains']],
    ['https://shop.example/', { enabled: false }, ['enabled']],
    ['https://other.example/', { enabled: false }, ['domain', 'enabled']],
    ['https://www.shop.example/', { authentication_mode: 'Session Signed' }, ['domain']],
    ['https://www.shop.example/', { authentication_mode: 'Session Signed', domain: '' }, ['domain']],
  ])('%s with %j: %j', (address, changes, refused_by) => {
    expect(checkPage(address, settings(changes)).refused_by).toEqual(refused_by);
  });
});

test('the host has the form that browsers send, with a port unless it is the default', () => {
  const hostOf = (address: string) => checkPage(address, settings()).host;
  expect(hostOf('https://Shop.Example:443/x')).toBe('shop.example');
  expect(hostOf('http://127.0.0.1:4000')).toBe('127.0.0.1:4000');
});

test.each(['not a page', '', 'ftp://shop.example', 'file:///page.html', 'https://', 'javascript:alert(1)'])(
  '%j is not a page',
  (address) => {
    expect(checkPage(address, settings())).toEqual({ host: null, matched_by: null, refused_by: [] });
  },
);

test.each([
  ['HTTPS://Example.com/x', 'example.com'],
  ['b.example:8443', 'b.example:8443'],
  ['*.c.example', null],
  ['', null],
])('normalizes the entry %j to %j', (entry, normalized) => {
  expect(normalizedEntry(entry)).toBe(normalized);
});
