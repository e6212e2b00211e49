import { checkPage, type PageSettings } from '../../../src/domain/auth/check-hosts.ts';

const check = (address: string, changes: Partial<PageSettings> = {}) =>
  checkPage(address, {
    authentication_mode: 'Allowed Websites',
    enabled: true,
    domain: 'shop.example',
    allowed_domains: ['shop.example'],
    ...changes,
  });
const SIGNED: Partial<PageSettings> = { authentication_mode: 'Session Signed', allowed_domains: [] };
const MUNICH = { domain: 'MÜNCHEN.example', allowed_domains: ['münchen.example'] };

test.each<[string, Partial<PageSettings>, string, string | null]>([
  ['shop.example/cart', {}, 'shop.example', 'shop.example'],
  [' HTTP://SHOP.example:8080/', {}, 'shop.example:8080', 'shop.example'],
  ['https://shop.example:443', { allowed_domains: ['shop.example:443'] }, 'shop.example', 'shop.example:443'],
  ['https://münchen.example', MUNICH, 'xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
  ['https://shop.example/', SIGNED, 'shop.example', null],
])('a widget on the page %s with %j starts', (address, changes, host, matched_by) => {
  expect(check(address, changes)).toEqual({ host, matched_by, refused_by: [] });
});

test.each<[string, Partial<PageSettings>, readonly string[]]>([
  ['https://www.shop.example/', { allowed_domains: ['shop.example', 'www.shop.example'] }, ['domain']],
  ['https://shop.example/', { domain: 'not a host' }, ['domain']],
  ['https://shop.example/', { allowed_domains: [] }, ['allowed_domains']],
  ['https://shop.example/', { allowed_domains: ['www.shop.example', '*.example'] }, ['allowed_domains']],
  ['https://other.example/', {}, ['domain', 'allowed_domains']],
  ['https://other.example/', { enabled: false }, ['domain', 'enabled']],
  ['https://www.shop.example/', SIGNED, ['domain']],
])('on the page %s with %j, these settings prevent the start: %j', (address, changes, refused_by) => {
  expect(check(address, changes).refused_by).toEqual(refused_by);
});

test.each(['not a page', '', 'ftp://shop.example', 'https://', 'javascript:alert(1)'])(
  '%j is not a page',
  (address) => {
    expect(check(address)).toEqual({ host: null, matched_by: null, refused_by: [] });
  },
);
