import { allowedOrigin, preflight } from '../../../src/domain/auth/cors.ts';
import { anAssistant, SITE_ID } from '../../fakes/configuration.ts';

test.each<[string, string | undefined, boolean]>([
  ['shop.example', 'https://shop.example', true],
  ['shop.example', 'http://shop.example:8080', true],
  ['shop.example:8443', 'https://shop.example:8443', true],
  ['shop.example:8443', 'https://shop.example', false],
  ['shop.example', 'https://www.shop.example', false],
  ['shop.example', 'https://shop.example.evil.example', false],
  ['shop.example', 'null', false],
  ['shop.example', undefined, false],
  ['', 'https://shop.example', false],
  ['', '', false],
])('the Domain %p and the origin %p: %p', (domain, origin, allowed) => {
  expect(allowedOrigin(anAssistant({ domain }), origin)).toBe(allowed ? origin : undefined);
});

test.each([
  ['HTTPS://SHOP.example', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
])('the origin %p is allowed in its parsed form', async (origin, allowed) => {
  expect(allowedOrigin(anAssistant({ domain: 'shop.example' }), origin)).toBe(allowed);
  const anyDomain = async () => true;
  const findAssistant = async () => anAssistant({ domain: 'shop.example' });
  for (const siteId of [SITE_ID, undefined]) {
    expect(await preflight({ siteId, origin }, { anyDomain, findAssistant })).toBe(allowed);
  }
});

test.each(['https://sh\top.example', 'https:shop.example', 'https://ｓｈｏｐ.example', 'https://me@shop.example'])(
  'the origin %p, which no browser sends, is not allowed',
  async (origin) => {
    expect(allowedOrigin(anAssistant({ domain: 'shop.example' }), origin)).toBeUndefined();
    const ports = { anyDomain: async () => true, findAssistant: async () => undefined };
    expect(await preflight({ siteId: undefined, origin }, ports)).toBeUndefined();
  },
);

test('Allowed Domains do not affect the allowed origin', () => {
  const assistant = anAssistant({ domain: 'shop.example', allowed_domains: ['other.example'] });
  expect(allowedOrigin(assistant, 'https://other.example')).toBeUndefined();
});

describe('a preflight request', () => {
  const assistant = anAssistant();
  const asked: (readonly string[])[] = [];
  const ports = {
    findAssistant: async (siteId: string) => (siteId === SITE_ID ? assistant : undefined),
    anyDomain: async (entries: readonly string[]) => {
      asked.push(entries);
      return entries.includes(assistant.domain);
    },
  };

  test.each<[string | undefined, string | undefined, boolean]>([
    [SITE_ID, 'https://shop.example', true],
    [SITE_ID, 'https://evil.example', false],
    [SITE_ID, 'null', false],
    [SITE_ID, undefined, false],
    ['site_nobody', 'https://anywhere.example', true],
    ['not a site', 'https://anywhere.example', true],
    ['', 'https://anywhere.example', true],
    ['site_nobody', 'null', false],
    ['site_nobody', undefined, false],
    [undefined, 'https://shop.example', true],
    [undefined, 'https://shop.example:8443', true],
    [undefined, 'https://evil.example', false],
    [undefined, 'null', false],
    [undefined, undefined, false],
  ])('for the site %p from the origin %p: %p', async (siteId, origin, allowed) => {
    expect(await preflight({ siteId, origin }, ports)).toBe(allowed ? origin : undefined);
  });

  test('without a site looks up both entries that can match', async () => {
    asked.length = 0;
    await preflight({ siteId: undefined, origin: 'https://shop.example' }, ports);
    expect(asked).toEqual([['shop.example', 'shop.example:443']]);
  });

  test('of a disabled assistant is allowed, so that the page can read that it is disabled', async () => {
    const findAssistant = async () => anAssistant({ enabled: false });
    expect(await preflight({ siteId: SITE_ID, origin: 'https://shop.example' }, { ...ports, findAssistant })).toBe(
      'https://shop.example',
    );
  });
});
