import { allowedOrigin, preflight, preflightSite } from '../../../src/domain/auth/cors.ts';
import { anAssistant, SITE_ID } from '../../fakes/configuration.ts';

const SHOP = 'https://shop.example';

test.each<[string, string | undefined, string | undefined]>([
  ['shop.example', SHOP, SHOP],
  ['shop.example', 'http://shop.example:8080', 'http://shop.example:8080'],
  ['shop.example', 'HTTPS://SHOP.example:443', SHOP],
  ['shop.example:8443', 'https://shop.example:8443', 'https://shop.example:8443'],
  ['shop.example:8443', SHOP, undefined],
  ['shop.example', 'https://www.shop.example', undefined],
  ['shop.example', 'null', undefined],
  ['shop.example', undefined, undefined],
  ['', SHOP, undefined],
  ['', '', undefined],
])('the Domain %p and the origin %p: %p, whatever Allowed Domains say', (domain, origin, allowed) => {
  expect(allowedOrigin(anAssistant({ domain, allowed_domains: ['www.shop.example'] }), origin)).toBe(allowed);
});

test('every page may read that a site does not exist, unless it has no origin', () => {
  expect(allowedOrigin(undefined, 'https://anywhere.example')).toBe('https://anywhere.example');
  expect(allowedOrigin(undefined, 'null')).toBeUndefined();
});

describe('a preflight request', () => {
  const asked: (readonly string[])[] = [];
  const ports = {
    findAssistant: async (siteId: string) => (siteId === SITE_ID ? anAssistant({ enabled: false }) : undefined),
    anyDomain: async (entries: readonly string[]) => {
      asked.push(entries);
      return entries.includes('shop.example');
    },
  };
  beforeEach(() => asked.splice(0));

  test.each<[string | undefined, string | undefined, boolean]>([
    // Also of a disabled assistant, so that the page can read that it is disabled.
    [SITE_ID, SHOP, true],
    [SITE_ID, 'https://evil.example', false],
    [SITE_ID, undefined, false],
    ['site_nobody', 'https://anywhere.example', true],
    ['not a site', 'https://anywhere.example', true],
    ['', 'https://anywhere.example', true],
    [undefined, 'https://shop.example:8443', true],
    [undefined, 'https://evil.example', false],
    [undefined, 'https:shop.example', false],
    [undefined, undefined, false],
  ])('for the site %p from the origin %p: %p', async (siteId, origin, allowed) => {
    expect(await preflight({ siteId, origin }, ports)).toBe(allowed ? origin : undefined);
  });

  test('without a site looks up both entries that can match', async () => {
    expect(await preflight({ siteId: undefined, origin: 'HTTPS://SHOP.example' }, ports)).toBe(SHOP);
    expect(asked).toEqual([['shop.example', 'shop.example:443']]);
  });

  test.each([
    [`/api/widgets/sites/${SITE_ID}/forms/contact-us/submit`, 'site_evil', SITE_ID],
    ['/api/widget/init', SITE_ID, SITE_ID],
    ['/api/widget/init', undefined, undefined],
  ])('to %s with the query ?site=%s is for the site %s', (path, site, siteId) => {
    expect(preflightSite(path, site)).toBe(siteId);
  });
});
