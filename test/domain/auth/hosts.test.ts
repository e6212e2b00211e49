import fc from 'fast-check';
import { entriesMatching, hostMatches, originHost, pageHost, readHostEntry } from '../../../src/domain/auth/hosts.ts';

const normalizeHostEntry = (text: string) => {
  const read = readHostEntry(text);
  return 'entry' in read ? read.entry : undefined;
};

/** The longest valid name. */
const NAME_OF_253 = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(61)}`;

describe('an entry is normalized', () => {
  test.each<[string, string | undefined]>([
    ['example.com', 'example.com'],
    ['  example.com ', 'example.com'],
    ['EXAMPLE.com', 'example.com'],
    ['http://example.com', 'example.com'],
    ['https://example.com', 'example.com'],
    ['HTTPS://Example.Com/', 'example.com'],
    ['https://example.com/path?query#fragment', 'example.com'],
    ['example.com/path', 'example.com'],
    ['example.com?query', 'example.com'],
    ['example.com#fragment', 'example.com'],
    ['example.com:8443', 'example.com:8443'],
    ['https://example.com:443/', 'example.com:443'],
    ['http://example.com:80', 'example.com:80'],
    ['example.com:', 'example.com'],
    ['example.com:08080', 'example.com:8080'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['localhost:3000', 'localhost:3000'],
    ['192.0.2.1:8080', '192.0.2.1:8080'],
    ['[2001:DB8::1]', '[2001:db8::1]'],
    ['[2001:db8::1]:8443', '[2001:db8::1]:8443'],
    ['example.com.', 'example.com.'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [NAME_OF_253, NAME_OF_253],
  ])('%p to %p', (entry, normalized) => {
    expect(normalizeHostEntry(entry)).toBe(normalized);
  });

  const SCHEME = ', without a scheme other than http:// or https://';
  const SIGNS = ', without spaces, user names and percent signs';
  const PORT = ', with a port from 1 to 65535';
  const LENGTH = ', with at most 253 characters, and 1 to 63 characters between two dots';

  test.each<[string, readonly string[]]>([
    ['', ['', '   ', '/', 'https://', '//example.com', 'https:example.com', 'example.com:http', '2001:db8::1']],
    [
      SCHEME,
      ['https:', 'http:/example.com', 'https:\\\\example.com', 'ftp://example.com', 'chrome-extension://abcdef'],
    ],
    [SCHEME, ['https://http://example.com']],
    [', without wildcards', ['*.example.com', '＊.example.com']],
    [SIGNS, ['exa mple.com', 'user@example.com', 'https://user:pass@example.com', 'ex%61mple.com']],
    [PORT, ['example.com:0', 'example.com:000', 'example.com:65536', 'example.com:123456']],
    [LENGTH, ['.example.com', 'example..com', `${'a'.repeat(64)}.example`, `a${NAME_OF_253}`]],
    [LENGTH, [`${'ü'.repeat(60)}.example`]],
  ])('is refused%s, because it can never match a page: %j', (reason, entries) => {
    const problem = `must be a host such as example.com or example.com:8443${reason}`;
    expect(entries.map(readHostEntry)).toEqual(entries.map(() => ({ problem })));
  });

  test('a normalized entry does not change when it is normalized again', () => {
    const schemes = fc.constantFrom('', 'http://', 'https://', 'HTTP://', 'ftp://', '//');
    const rest = fc.oneof(
      fc.domain(),
      fc.string({ unit: 'grapheme' }),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    const port = fc.oneof(
      fc.constant(''),
      fc.nat(70_000).map((number) => `:${number}`),
    );
    const tail = fc.constantFrom('', '/', '/path', '?a=b', '#c');
    fc.assert(
      fc.property(schemes, rest, port, tail, (scheme, host, number, end) => {
        const once = normalizeHostEntry(`${scheme}${host}${number}${end}`);
        if (once !== undefined) expect(normalizeHostEntry(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the page of a Referer header', () => {
  test.each([
    ['https://shop.example', { hostname: 'shop.example', port: '443', origin: 'https://shop.example' }],
    ['http://shop.example', { hostname: 'shop.example', port: '80', origin: 'http://shop.example' }],
    ['https://shop.example:8443', { hostname: 'shop.example', port: '8443', origin: 'https://shop.example:8443' }],
    ['https://shop.example:443/', { hostname: 'shop.example', port: '443', origin: 'https://shop.example' }],
    ['https://SHOP.example/cart?a=1#b', { hostname: 'shop.example', port: '443', origin: 'https://shop.example' }],
    [
      'https://evil.example/https://shop.example',
      { hostname: 'evil.example', port: '443', origin: 'https://evil.example' },
    ],
    ['https://[2001:db8::1]:8443', { hostname: '[2001:db8::1]', port: '8443', origin: 'https://[2001:db8::1]:8443' }],
  ])('%p', (header, page) => {
    expect(pageHost(header)).toEqual(page);
  });

  test.each([
    ...['null', '', 'shop.example', 'file:///index.html', 'data:text/html,x', 'https://', 'ftp://shop.example'],
    ...['https://a.example, https://b.example', 'https://shop.example@evil.example/', 'https://user:pass@shop.example'],
    ...['https:shop.example', 'https:/shop.example', 'https:\\\\shop.example', 'https://shop.example\\@evil.example'],
    ...['https://sh\top.example', 'https://shop.\nexample', ' https://shop.example', 'https://ｓｈｏｐ.example'],
    ...[
      'https://münchen.example',
      'https://shop%2eexample',
      'https://0x7f.1',
      'https://shop.example:',
      'https://shop。example',
    ],
    ...['https://shop.example:0', 'https://shop.example:0443', 'https://shop.example:65536', 'https://[2001:0db8::1]'],
  ])('%p is not a page that a browser sends', (header) => {
    expect(pageHost(header)).toBeUndefined();
    expect(originHost(header)).toBeUndefined();
  });
});

test('an Origin has nothing after its port', () => {
  const page = { hostname: 'shop.example', port: '443', origin: 'https://shop.example' };
  expect(originHost('https://shop.example')).toEqual(page);
  expect(originHost('HTTPS://SHOP.example:443')).toEqual(page);
  for (const more of ['/', '/cart', '?a=1', '#b']) expect(originHost(`https://shop.example${more}`)).toBeUndefined();
});

describe('an entry matches', () => {
  const matches = (entry: string, header: string) => {
    const page = pageHost(header);
    return page !== undefined && hostMatches(entry, page);
  };

  test.each([
    ['example.com', 'https://example.com'],
    ['example.com', 'http://example.com'],
    ['example.com', 'https://example.com:8443'],
    ['example.com', 'https://EXAMPLE.com/page'],
    ['example.com:8443', 'https://example.com:8443'],
    ['example.com:443', 'https://example.com'],
    ['example.com:80', 'http://example.com'],
  ])('%p the page %p', (entry, header) => {
    expect(matches(entry, header)).toBe(true);
  });

  test.each([
    ['example.com', 'https://www.example.com'],
    ['www.example.com', 'https://example.com'],
    ['example.com', 'https://example.com.evil.example'],
    ['example.com', 'https://evilexample.com'],
    ['example.com', 'https://example.com@evil.example'],
    ['example.com', 'https://evil.example/?example.com'],
    ['example.com', 'https://evil.example#example.com'],
    ['example.com', 'https://example.co'],
    ['example.com', 'https://example.com.'],
    ['example.com', 'null'],
    ['example.com:8443', 'https://example.com'],
    ['example.com:8443', 'https://example.com:84430'],
    ['example.com:443', 'http://example.com'],
    ['example.com:443', 'https://example.com:8443'],
  ])('%p not the page %p', (entry, header) => {
    expect(matches(entry, header)).toBe(false);
  });

  const host = fc.domain().map((name) => name.toLowerCase());
  const port = fc.integer({ min: 1, max: 65535 });

  test('without a port matches every port of exactly that host', () => {
    fc.assert(
      fc.property(host, port, fc.constantFrom('http', 'https'), (name, number, scheme) => {
        expect(matches(normalizeHostEntry(name) ?? '', `${scheme}://${name}:${number}/page`)).toBe(true);
      }),
    );
  });

  test('with a port matches only that port', () => {
    fc.assert(
      fc.property(host, port, port, (name, entryPort, pagePort) => {
        const entry = normalizeHostEntry(`${name}:${entryPort}`) ?? '';
        expect(matches(entry, `https://${name}:${pagePort}`)).toBe(entryPort === pagePort);
      }),
    );
  });

  test('matches no other host with the same beginning or end', () => {
    fc.assert(
      fc.property(host, fc.domain(), port, (name, other, number) => {
        for (const page of [`${other}.${name}`, `${name}.${other}`, `x${name}`]) {
          expect(matches(normalizeHostEntry(name) ?? '', `https://${page}:${number}`)).toBe(false);
        }
      }),
    );
  });

  test('matches if and only if entriesMatching returns it', () => {
    fc.assert(
      fc.property(host, host, port, fc.boolean(), fc.boolean(), (name, other, number, same, withPort) => {
        const page = pageHost(`https://${name}:${number}`);
        const entry = normalizeHostEntry(`${same ? name : other}${withPort ? `:${number}` : ''}`) ?? '';
        if (page === undefined) throw new Error('The page is one');
        expect(entriesMatching(page).includes(entry)).toBe(hostMatches(entry, page));
      }),
    );
  });
});
