import fc from 'fast-check';
import { entriesMatching, hostMatches, originHost, pageHost, readHostEntry } from '../../../../src/contract/hosts.ts';
import { checkPage, type PageSettings, type SiteSettings, whereItRuns } from '../../../../src/contract/page-check.ts';
import { admitWidget } from '../../../../src/domain/auth/authenticate-widget.ts';
import { allowedOrigin, preflight } from '../../../../src/domain/auth/cors.ts';
import { ipAllowed, normalizeIpAddress, visitorNetwork } from '../../../../src/domain/auth/ip-addresses.ts';
import { anAssistant, SITE_ID } from '../../../fakes/configuration.ts';
import { fakeConfiguration, someClaims } from '../../../fakes/widget.ts';

const normalizeHostEntry = (text: string) => {
  const read = readHostEntry(text);
  return 'entry' in read ? read.entry : undefined;
};

/** The longest valid name. */
const NAME_OF_253 = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(61)}`;

describe('an entry', () => {
  test.each<[string, string]>([
    ['  example.com ', 'example.com'],
    ['HTTPS://Example.Com/', 'example.com'],
    ['https://example.com/path?query#fragment', 'example.com'],
    ['example.com?query', 'example.com'],
    ['example.com#fragment', 'example.com'],
    ['https://example.com:443/', 'example.com:443'],
    ['http://example.com:80', 'example.com:80'],
    ['example.com:', 'example.com'],
    ['example.com:08080', 'example.com:8080'],
    ['example.com:65535', 'example.com:65535'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['localhost:3000', 'localhost:3000'],
    ['my_shop.example', 'my_shop.example'],
    ['192.0.2.1:8080', '192.0.2.1:8080'],
    ['[2001:DB8::1]:8443', '[2001:db8::1]:8443'],
    ['example.com.', 'example.com.'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [NAME_OF_253, NAME_OF_253],
    [`${NAME_OF_253}.`, `${NAME_OF_253}.`],
  ])('%p is normalized to %p', (entry, normalized) => {
    expect(normalizeHostEntry(entry)).toBe(normalized);
  });

  const SCHEME = ', without a scheme other than http:// or https://';
  const SIGNS = ', without spaces, user names and percent signs';
  const LETTERS = ', with letters, digits, hyphens and underscores between two dots';
  const PORT = ', with a port from 1 to 65535';
  const LENGTH = ', with at most 253 characters, and 1 to 63 characters between two dots';
  const PARSED_HOST = `${'ü'.repeat(60)}.example`;

  test.each<[string, readonly string[]]>([
    ['', ['', '   ', 'https://', '//example.com', 'https:example.com', 'example.com:http', '2001:db8::1']],
    [SCHEME, ['https:', 'http:/example.com', 'https:\\\\example.com', 'ftp://example.com']],
    [SCHEME, ['https://http://example.com']],
    [', without wildcards', ['*.example.com', '＊.example.com']],
    [SIGNS, ['exa mple.com', 'user@example.com', 'https://user:pass@example.com', 'ex%61mple.com']],
    [
      LETTERS,
      ['a.example,b.example', 'a.example;b.example', "it's.example", 'a&b.example', '(example.com)', '!example.com'],
    ],
    [PORT, ['example.com:0', 'example.com:000', 'example.com:65536']],
    [
      LENGTH,
      ['.example.com', 'example..com', `${'a'.repeat(64)}.example`, `${NAME_OF_253}b`, `${NAME_OF_253}b.`, PARSED_HOST],
    ],
  ])('is refused%s, because it can never match a page: %j', (reason, entries) => {
    const problem = `must be a host such as example.com or example.com:8443${reason}`;
    expect(entries.map(readHostEntry)).toEqual(entries.map(() => ({ problem })));
  });

  test('does not change when it is normalized again', () => {
    const schemes = fc.constantFrom('', 'http://', 'HTTP://', 'ftp://', '//');
    const names = fc.oneof(
      fc.domain(),
      fc.string({ unit: 'grapheme' }),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    const ports = fc.oneof(fc.constant(''), fc.nat(70_000).map(String));
    const tails = fc.constantFrom('', '/path', '?a=b', '#c');
    fc.assert(
      fc.property(schemes, names, ports, tails, (scheme, name, port, tail) => {
        const once = normalizeHostEntry(`${scheme}${name}${port && `:${port}`}${tail}`);
        if (once !== undefined) expect(normalizeHostEntry(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the page of a Referer header', () => {
  test.each([
    ['https://SHOP.example/cart?a=1#b', 'shop.example', '443', 'https://shop.example'],
    ['http://shop.example', 'shop.example', '80', 'http://shop.example'],
    ['https://evil.example/https://shop.example', 'evil.example', '443', 'https://evil.example'],
    ['https://[2001:db8::1]:8443', '[2001:db8::1]', '8443', 'https://[2001:db8::1]:8443'],
    ['capacitor://localhost', 'localhost', '', 'capacitor://localhost'],
    ['ionic://localhost/tabs/help', 'localhost', '', 'ionic://localhost'],
    ['tauri://localhost', 'localhost', '', 'tauri://localhost'],
    ['app://shop.example:8080/', 'shop.example', '8080', 'app://shop.example:8080'],
    [
      'chrome-extension://bfbmjmiodbnnpllbbbfblcplfjjepjdn',
      'bfbmjmiodbnnpllbbbfblcplfjjepjdn',
      '',
      'chrome-extension://bfbmjmiodbnnpllbbbfblcplfjjepjdn',
    ],
  ])('%p', (header, hostname, port, origin) => {
    expect(pageHost(header)).toEqual({ hostname, port, origin });
  });

  test.each([
    ...['null', '', 'shop.example', 'file:///index.html', 'file://', 'data:text/html,x', 'https://', '//shop.example'],
    ...[
      'capacitor://',
      'app:shop.example',
      'app://user@shop.example',
      'app://Shop%2eexample',
      'blob:https://shop.example/1',
    ],
    ...['https://a.example, https://b.example', 'https://shop.example@evil.example/', 'https://user:pass@shop.example'],
    ...['https:shop.example', 'https:/shop.example', 'https:\\\\shop.example', 'https://shop.example\\@evil.example'],
    ...['https://sh\top.example', 'https://shop.\nexample', ' https://shop.example', 'https://ｓｈｏｐ.example'],
    ...['https://münchen.example', 'https://shop%2eexample', 'https://0x7f.1', 'https://shop。example'],
    ...['https://shop.example:', 'https://shop.example:0', 'https://shop.example:0443', 'https://shop.example:65536'],
    'https://[2001:0db8::1]',
  ])('%p is not a page that a browser sends', (header) => {
    expect([pageHost(header), originHost(header)]).toEqual([undefined, undefined]);
  });
});

test('an Origin has nothing after its port', () => {
  expect(originHost('HTTPS://SHOP.example:443')?.origin).toBe('https://shop.example');
  for (const more of ['/', '/cart', '?a=1', '#b']) expect(originHost(`https://shop.example${more}`)).toBeUndefined();
});

describe('an entry matches', () => {
  const matches = (entry: string, header: string) => {
    const page = pageHost(header);
    if (page === undefined) throw new Error(`${header} is no page`);
    const matching = hostMatches(entry, page);
    expect(entriesMatching(page).includes(entry)).toBe(matching);
    return matching;
  };

  test.each([
    ['example.com:443', 'https://example.com', true],
    ['example.com:80', 'http://example.com', true],
    ['example.com:443', 'http://example.com', false],
    ['example.com', 'https://example.com.', false],
    ['example.com', 'https://evil.example/?example.com', false],
    ['localhost', 'capacitor://localhost', true],
    ['localhost:443', 'capacitor://localhost', false],
    ['shop.example', 'capacitor://localhost', false],
  ])('%p the page %p: %p', (entry, header, matching) => {
    expect(matches(entry, header)).toBe(matching);
  });

  const host = fc.domain().map((name) => name.toLowerCase());
  const port = fc.integer({ min: 1, max: 65535 });

  test('without a port, every port of exactly that host', () => {
    fc.assert(
      fc.property(host, fc.domain(), port, fc.constantFrom('http', 'https'), (name, other, number, scheme) => {
        expect(matches(name, `${scheme}://${name}:${number}/page`)).toBe(true);
        for (const page of [`${other}.${name}`, `${name}.${other}`, `x${name}`]) {
          expect(matches(name, `${scheme}://${page}:${number}`)).toBe(false);
        }
      }),
    );
  });

  test('with a port, only that port', () => {
    fc.assert(
      fc.property(host, port, port, (name, entryPort, pagePort) => {
        expect(matches(`${name}:${entryPort}`, `https://${name}:${entryPort}`)).toBe(true);
        expect(matches(`${name}:${entryPort}`, `https://${name}:${pagePort}`)).toBe(entryPort === pagePort);
      }),
    );
  });
});

const check = (address: string, changes: Partial<PageSettings> = {}) =>
  checkPage(address, {
    authentication_mode: 'Allowed Websites',
    enabled: true,
    domain: 'shop.example',
    allowed_domains: ['shop.example'],
    ...changes,
  });
const SIGNED: Partial<PageSettings> = { authentication_mode: 'Session Signed', allowed_domains: [] };
const APP = { domain: 'localhost', allowed_domains: ['localhost'] };
const MUNICH = { domain: 'MÜNCHEN.example', allowed_domains: ['münchen.example'] };

test.each<[string, Partial<PageSettings>, string, string | null]>([
  ['shop.example/cart', {}, 'shop.example', 'shop.example'],
  [' HTTP://SHOP.example:8080/', {}, 'shop.example:8080', 'shop.example'],
  ['https://shop.example:443', { allowed_domains: ['shop.example:443'] }, 'shop.example', 'shop.example:443'],
  ['https://münchen.example', MUNICH, 'xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
  ['https://shop.example/', SIGNED, 'shop.example', null],
  ['capacitor://localhost', APP, 'capacitor://localhost', 'localhost'],
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

test.each(['not a page', '', 'file:///shop/index.html', 'https://', 'javascript:alert(1)'])(
  '%j is not a page',
  (address) => {
    expect(check(address)).toEqual({ host: null, matched_by: null, refused_by: [] });
  },
);

describe('where a widget appears', () => {
  const site = (changes: Partial<SiteSettings> = {}): SiteSettings => ({
    authentication_mode: 'Allowed Websites',
    enabled: true,
    domain: 'shop.example',
    allowed_domains: ['shop.example'],
    server_secret: null,
    isSuspended: false,
    ...changes,
  });

  test.each<[Partial<SiteSettings>, ReturnType<typeof whereItRuns>]>([
    [{}, { hosts: ['shop.example'], refused_by: [], uselessEntries: [] }],
    [{ domain: 'https://SHOP.example/' }, { hosts: ['shop.example'], refused_by: [], uselessEntries: [] }],
    [{ domain: 'www.shop.example' }, { hosts: [], refused_by: ['allowed_domains'], uselessEntries: ['shop.example'] }],
    [{ allowed_domains: [] }, { hosts: [], refused_by: ['allowed_domains'], uselessEntries: [] }],
    [
      { allowed_domains: ['shop.example:8443', 'a.example'] },
      { hosts: ['shop.example:8443'], refused_by: [], uselessEntries: ['a.example'] },
    ],
    [{ domain: 'shop.example:8443' }, { hosts: ['shop.example:8443'], refused_by: [], uselessEntries: [] }],
    [
      { domain: 'shop.example:8443', allowed_domains: ['shop.example:9000'] },
      { hosts: [], refused_by: ['allowed_domains'], uselessEntries: ['shop.example:9000'] },
    ],
    [
      { domain: '[::1]:80', allowed_domains: ['[::1]'] },
      { hosts: ['[::1]:80'], refused_by: [], uselessEntries: [] },
    ],
    [{ domain: '' }, { hosts: [], refused_by: ['domain'], uselessEntries: [] }],
    [{ domain: '*.shop.example' }, { hosts: [], refused_by: ['domain'], uselessEntries: [] }],
    [
      { enabled: false, isSuspended: true },
      { hosts: [], refused_by: ['suspended', 'enabled'], uselessEntries: [] },
    ],
    [{ ...SIGNED }, { hosts: [], refused_by: ['server_secret'], uselessEntries: [] }],
    [
      { ...SIGNED, server_secret: {} },
      { hosts: ['shop.example'], refused_by: [], uselessEntries: [] },
    ],
  ])('with %j: %j', (changes, verdict) => {
    expect(whereItRuns(site(changes))).toEqual(verdict);
  });

  test('agrees with the browser and the service on every page', () => {
    const host = fc.constantFrom('a.example', 'b.example', 'a.example:443', 'a.example:8443', 'b.example:8443');
    const settings = fc.record({
      domain: fc.oneof(host, fc.constant('')),
      allowed_domains: fc.array(host, { maxLength: 3 }),
      enabled: fc.boolean(),
      authentication_mode: fc.constantFrom('Allowed Websites' as const, 'Session Signed' as const),
    });
    fc.assert(
      fc.property(settings, host, (changes, address) => {
        const { origin } = new URL(`https://${address}`);
        const signed = changes.authentication_mode === 'Session Signed';
        const credentials = {
          siteId: SITE_ID,
          sessionToken: signed ? 'token' : undefined,
          origin,
          referer: undefined,
          ip: '',
        };
        const assistant = anAssistant(changes);
        const admitted = () => admitWidget({ credentials, assistant, claims: signed ? someClaims() : undefined });
        let starts = allowedOrigin(assistant, origin) !== undefined;
        try {
          admitted();
        } catch {
          starts = false;
        }
        expect(checkPage(address, changes).refused_by.length === 0).toBe(starts);
        const { hosts } = whereItRuns(site({ ...changes, server_secret: {} }));
        const page = originHost(origin);
        expect(page !== undefined && hosts.some((entry) => hostMatches(entry, page))).toBe(starts);
      }),
    );
  });
});

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
  const init = '/api/widget/init';
  const asked: unknown[] = [];
  const configuration = fakeConfiguration({
    findAssistant: async (siteId) => {
      asked.push(siteId);
      return siteId === SITE_ID ? anAssistant({ enabled: false }) : undefined;
    },
    anyDomain: async (entries) => {
      asked.push(entries);
      return entries.includes('shop.example');
    },
  });
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
  ])('for the site %p from the origin %p: %p', async (site, origin, allowed) => {
    expect(await preflight({ path: init, site, origin }, configuration)).toBe(allowed ? origin : undefined);
  });

  test('without a site looks up both entries that can match', async () => {
    expect(await preflight({ path: init, origin: 'HTTPS://SHOP.example' }, configuration)).toBe(SHOP);
    expect(asked).toEqual([['shop.example', 'shop.example:443']]);
  });

  test('to submit a form is for the site of its path, whatever ?site= says', async () => {
    const path = `/api/widgets/sites/${SITE_ID}/forms/contact-us/submit`;
    expect(await preflight({ path, site: 'site_evil', origin: 'https://evil.example' }, configuration)).toBeUndefined();
    expect(asked).toEqual([SITE_ID]);
  });
});

test.each<[string, string | undefined]>([
  [' 198.51.100.7 ', '198.51.100.7'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['::ffff:c633:6407', '198.51.100.7'],
  ['', undefined],
  ['198.51.100.0/24', undefined],
  ['198.51.100', undefined],
  ['0x7f.0.0.1', undefined],
  ['2130706433', undefined],
  ['198.51.100.07', undefined],
  ['198.51.100.256', undefined],
  ['fe80::1%eth0', undefined],
  ['shop.example', undefined],
])('%p is normalized to %p', (text, normalized) => {
  expect(normalizeIpAddress(text)).toBe(normalized);
});

test.each<[readonly string[], string, boolean]>([
  [[], 'not an address', true],
  [['198.51.100.7', '2001:db8::1'], '::ffff:198.51.100.7', true],
  [['198.51.100.7', '2001:db8::1'], '2001:db8::2', false],
  [['198.51.100.7', '2001:db8::1'], '', false],
])('the list %j allows %p: %p', (list, ip, allowed) => {
  expect(ipAllowed(list, ip)).toBe(allowed);
});

test('every notation of an address has the same normalized form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
      const once = normalizeIpAddress(ip) ?? '';
      expect(normalizeIpAddress(once)).toBe(once);
      expect(ipAllowed([once], ip)).toBe(true);
    }),
  );
});

test.each([
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['unknown', 'unknown'],
])('a visitor at %s counts as %s', (ip, network) => {
  expect(visitorNetwork(ip)).toBe(network);
});
