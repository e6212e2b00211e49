import type { FormAction } from '../../../src/contract/actions.ts';
import type { Assistant } from '../../../src/contract/assistants.ts';
import type { SessionClaims } from '../../../src/contract/sessions.ts';
import type { WidgetCredentials } from '../../../src/domain/auth/authenticate-widget.ts';
import {
  type IdentifyInitPorts,
  type InitWidgetPorts,
  identifyInit,
  initWidget,
} from '../../../src/domain/conversations/init-widget.ts';
import type { PublishEvent } from '../../../src/domain/events/publish.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { aFormAction, anAssistant, ORG_ID, SITE_ID } from '../../fakes/configuration.ts';
import { FakeLimit } from '../../fakes/limits.ts';
import { refusalOf, refusedWith } from '../../fakes/refusals.ts';
import { countingIds, FrozenClock } from '../../fakes/sources.ts';
import { InMemoryConversations, siteIdCredentials, someClaims, widgetAuthentication } from '../../fakes/widget.ts';

type Setup = {
  readonly assistant?: Partial<Assistant>;
  readonly tokens?: Readonly<Record<string, SessionClaims>>;
  readonly expired?: Readonly<Record<string, SessionClaims>>;
  readonly forms?: readonly FormAction[];
};

function setUp({ assistant = {}, tokens = {}, expired = {}, forms = [] }: Setup = {}) {
  const clock = new FrozenClock();
  const perHour = new FakeLimit();
  const conversations = new InMemoryConversations();
  const published: Parameters<PublishEvent>[0][] = [];
  const ports: IdentifyInitPorts & InitWidgetPorts = {
    ...widgetAuthentication({ assistants: [anAssistant(assistant)], tokens, expired }),
    findConversation: conversations.findConversation,
    saveConversation: conversations.saveConversation,
    findForms: async () => async () => forms,
    hitPerHour: perHour.hit,
    publish: async (event) => {
      published.push(event);
    },
    now: clock.now,
    newId: countingIds(),
  };
  const init = (changes: Partial<WidgetCredentials> = {}, body: unknown = {}) =>
    initOf({ credentials: siteIdCredentials(changes), readBody: () => body }, ports);
  return { clock, perHour, conversations, published, ports, init };
}

const initOf = async (asked: Parameters<typeof identifyInit>[0], ports: IdentifyInitPorts & InitWidgetPorts) =>
  initWidget(await identifyInit(asked, ports), ports);

const SIGNED = { authentication_mode: 'Session Signed' } as const;
const signed = (changes: Partial<Assistant> = {}): Setup => ({
  assistant: { ...SIGNED, ...changes },
  tokens: { good: someClaims() },
});
const withToken = { siteId: undefined, sessionToken: 'good', origin: undefined };
const PAGE = 'https://shop.example/';

describe('refuses', () => {
  test.each<[string, readonly (readonly [string, Setup, Partial<WidgetCredentials>])[]]>([
    [
      'X-Site-Id or X-Session-Token header required',
      [
        ['neither credential', {}, { siteId: undefined }],
        ['empty credentials', {}, { siteId: '', sessionToken: '' }],
      ],
    ],
    [
      'Invalid or expired session token',
      [
        ['an invalid token', {}, { sessionToken: 'forged' }],
        ['an expired token', { expired: { old: someClaims() } }, { sessionToken: 'old' }],
      ],
    ],
    [
      'Widget site not found',
      [
        ['an unknown site', {}, { siteId: 'site_nobody' }],
        ['a malformed site id', {}, { siteId: '../x y' }],
      ],
    ],
    [
      'Widget site is disabled',
      [
        ['a site of a suspended organization', { assistant: { suspended: true } }, {}],
        ['a disabled site', { assistant: { enabled: false } }, {}],
        ['a disabled site with a token', signed({ enabled: false }), withToken],
      ],
    ],
    ['This site requires session token authentication', [['the site id in Session Signed', signed(), {}]]],
    ['Site has no allowed domains configured', [['an empty list', { assistant: { allowed_domains: [] } }, {}]]],
    [
      'Origin or Referer header required for safelist auth',
      [
        ['neither header', {}, { origin: undefined }],
        ['empty headers', {}, { origin: '', referer: '' }],
      ],
    ],
    [
      'Origin not in allowed domains',
      [
        ['another host', {}, { origin: 'https://evil.example' }],
        ['a subdomain', {}, { origin: 'https://www.shop.example' }],
        ['a host with the same beginning', {}, { origin: 'https://shop.example.evil.example' }],
        ['a host with the same ending', {}, { origin: 'https://myshop.example' }],
        ['the origin null', {}, { origin: 'null' }],
        ['a port that is not listed', { assistant: { allowed_domains: ['shop.example:8443'] } }, {}],
        ['another Referer', {}, { origin: undefined, referer: 'https://evil.example/shop.example' }],
        ['an allowed Referer with another Origin', {}, { origin: 'https://evil.example', referer: PAGE }],
        ['an allowed Referer with the origin null', {}, { origin: 'null', referer: PAGE }],
      ],
    ],
    [
      'Access denied: IP not in allowlist',
      [
        ['another IP address', { assistant: { ip_allowlist: ['203.0.113.1'] } }, {}],
        ['another IP address, with a token', signed({ ip_allowlist: ['203.0.113.1'] }), withToken],
      ],
    ],
  ])('with "%s"', async (message, requests) => {
    for (const [what, setup, credentials] of requests) {
      const { init, perHour, conversations, published } = setUp(setup);
      const status = message.startsWith('Access denied') ? 403 : 401;
      expect([what, ...(await refusedWith(init(credentials)))]).toEqual([what, status, message]);
      // Only authenticated requests count towards the limit, and refused requests store nothing.
      expect([perHour.calls, conversations.saved, published]).toEqual([[], [], []]);
    }
  });

  test('a site over its hourly limit, with the time until the next hour', async () => {
    const { init, perHour, published, conversations } = setUp({ assistant: { hourly_rate_limit: 5 } });
    perHour.decision = { allowed: false, retryAfterSeconds: 3233 };
    const refusal = await refusalOf(init());
    expect([refusal.status, refusal.message, refusal.retryAfterSeconds]).toEqual([429, 'Rate limit exceeded', 3233]);
    expect(perHour.calls).toEqual([expect.objectContaining({ key: SITE_ID, limit: 5 })]);
    expect([published, conversations.saved]).toEqual([[], []]);
  });

  test.each<[string, unknown]>([
    ['conversation_id', { conversation_id: 'a b' }],
    ['conversation_id', { conversation_id: 'x'.repeat(129) }],
    ['visitor_id', { visitor_id: '' }],
    ['referrer', { referrer: 7 }],
  ])('a body with a wrong %s', async (field, body) => {
    const { init, perHour } = setUp();
    expect(await refusedWith(init({}, body))).toEqual([400, expect.stringMatching(new RegExp(`^${field}: `))]);
    expect(perHour.calls).toEqual([]);
  });

  test('in the order token, disabled, mode, empty list, missing header, host, IP address, body', async () => {
    const readBody = () => {
      throw new Refusal('invalid_request', { message: 'body' });
    };
    const everythingWrong: Partial<Assistant> = {
      ...SIGNED,
      enabled: false,
      allowed_domains: [],
      ip_allowlist: ['203.0.113.1'],
    };
    const steps: [Partial<Assistant>, Partial<WidgetCredentials>, string][] = [
      [everythingWrong, { sessionToken: 'forged', origin: undefined }, 'Invalid or expired session token'],
      [everythingWrong, { origin: undefined }, 'Widget site is disabled'],
      [{ ...everythingWrong, enabled: true }, { origin: undefined }, 'This site requires session token authentication'],
      [
        { allowed_domains: [], ip_allowlist: ['203.0.113.1'] },
        { origin: undefined },
        'Site has no allowed domains configured',
      ],
      [{ ip_allowlist: ['203.0.113.1'] }, { origin: undefined }, 'Origin or Referer header required for safelist auth'],
      [{ ip_allowlist: ['203.0.113.1'] }, { origin: 'https://evil.example' }, 'Origin not in allowed domains'],
      [{ ip_allowlist: ['203.0.113.1'] }, {}, 'Access denied: IP not in allowlist'],
      [{}, {}, 'body'],
    ];
    for (const [assistant, credentials, message] of steps) {
      const { ports } = setUp({ assistant });
      const refused = initOf({ credentials: siteIdCredentials(credentials), readBody }, ports);
      expect((await refusalOf(refused)).message).toBe(message);
    }
  });
});

describe('accepts', () => {
  test.each<[string, Setup, Partial<WidgetCredentials>]>([
    ['an allowed origin', {}, {}],
    ['the same host on any port', {}, { origin: 'http://shop.example:8080' }],
    ['the listed port', { assistant: { allowed_domains: ['shop.example:443'] } }, {}],
    ['one of several entries', { assistant: { allowed_domains: ['a.example', 'shop.example'] } }, {}],
    ['a Referer when there is no Origin', {}, { origin: undefined, referer: 'https://shop.example/cart?x=1' }],
    ['an allowed Origin with any Referer', {}, { referer: 'https://evil.example/' }],
    ['an IP address on the list', { assistant: { ip_allowlist: ['198.51.100.7'] } }, {}],
    [
      'an IPv4 address in IPv6 notation',
      { assistant: { ip_allowlist: ['198.51.100.7'] } },
      { ip: '::ffff:198.51.100.7' },
    ],
    ['a token on a page of any host', signed({ allowed_domains: [] }), withToken],
    ['a token together with another site id', signed(), { ...withToken, siteId: 'site_other' }],
  ])('%s', async (_, setup, credentials) => {
    const { init, perHour } = setUp(setup);
    expect(await init(credentials)).toMatchObject({ success: true, site_id: SITE_ID });
    expect(perHour.calls).toHaveLength(1);
  });
});

describe('a new conversation', () => {
  test('is stored, published once, and returned with the forms', async () => {
    const { init, conversations, published, clock } = setUp({ forms: [aFormAction()] });
    const answer = await init({}, { visitor_id: 'visitor_1', referrer: 'https://search.example/' });
    expect(answer).toEqual({
      success: true,
      site_id: SITE_ID,
      session_id: expect.any(String),
      visitor_id: 'visitor_1',
      conversation_id: expect.any(String),
      forms: [{ slug: 'contact-us', name: 'Contact us', fields: aFormAction().form_fields }],
    });
    expect(conversations.saved).toEqual([
      {
        site_id: SITE_ID,
        conversation_id: answer.conversation_id,
        session_id: answer.session_id,
        visitor_id: 'visitor_1',
        user_id: null,
        started_at: clock.now().toISOString(),
      },
    ]);
    expect(published).toEqual([
      {
        event: 'conversation.started',
        org_id: ORG_ID,
        site_id: SITE_ID,
        data: {
          conversation_id: answer.conversation_id,
          session_id: answer.session_id,
          visitor_id: 'visitor_1',
          referrer: 'https://search.example/',
        },
      },
    ]);
  });

  test('without ids in the request has new ids and no referrer', async () => {
    const { init, published } = setUp();
    const { conversation_id, session_id, visitor_id } = await init({}, { conversation_id: null, visitor_id: null });
    expect(new Set([conversation_id, session_id, visitor_id]).size).toBe(3);
    expect(published[0]?.data).toEqual({ conversation_id, session_id, visitor_id, referrer: null });
  });

  test.each([
    ['the id of a user', 'member-42', 'visitor_member-42'],
    ['the id that the browser received before', 'visitor_1', 'visitor_1'],
    ['a very long id', 'x'.repeat(128), `visitor_${'x'.repeat(120)}`],
  ])('of a visitor whose browser sends %s', async (_, named, visitor_id) => {
    const { init, published } = setUp();
    expect(await init({}, { visitor_id: named })).toMatchObject({ visitor_id });
    expect(published[0]?.data).toMatchObject({ visitor_id });
  });

  test.each([
    ['member-42', 'member-42'],
    ['visitor_1', '~visitor_1'],
    ['~visitor_1', '~~visitor_1'],
  ])('of the user %s has a visitor id that no visitor and no other user has', async (sub, visitor_id) => {
    const { init, published } = setUp({ assistant: SIGNED, tokens: { good: someClaims({ sub }) } });
    expect(await init(withToken)).toMatchObject({ visitor_id });
    expect(published[0]?.data).toMatchObject({ visitor_id });
  });

  test('with a token belongs to the user and has the session of the token', async () => {
    const { init, conversations } = setUp(signed());
    const answer = await init(withToken, { visitor_id: 'somebody-else' });
    expect(answer).toMatchObject({ session_id: 'session-1', visitor_id: 'user-1' });
    expect(conversations.saved).toEqual([expect.objectContaining({ user_id: 'user-1', session_id: 'session-1' })]);
  });

  test('keeps 2000 characters of the referrer', async () => {
    const { init, published } = setUp();
    await init({}, { referrer: `https://search.example/${'é'.repeat(3000)}` });
    expect(String(published[0]?.data.referrer)).toHaveLength(2000);
  });

  test('that the bus does not accept fails the request', async () => {
    const { ports } = setUp();
    const publish = async () => {
      throw new Error('The bus is away');
    };
    const failed = initOf({ credentials: siteIdCredentials(), readBody: () => ({}) }, { ...ports, publish });
    await expect(failed).rejects.toThrow('The bus is away');
  });
});

describe('a known conversation', () => {
  test('is resumed with the same ids, and nothing is stored or published', async () => {
    const { init, conversations, published } = setUp();
    const first = await init({}, { visitor_id: 'visitor_1' });
    const second = await init({}, { conversation_id: first.conversation_id, visitor_id: 'visitor_2' });
    expect(second).toEqual(first);
    expect([conversations.saved.length, published.length]).toEqual([1, 1]);
  });

  test("is resumed in the session of a user's new token", async () => {
    const tokens = { good: someClaims(), later: someClaims({ jti: 'session-2' }) };
    const { init, published } = setUp({ assistant: SIGNED, tokens });
    const { conversation_id } = await init(withToken);
    const second = await init({ ...withToken, sessionToken: 'later' }, { conversation_id });
    expect(second).toMatchObject({ conversation_id, session_id: 'session-2', visitor_id: 'user-1' });
    expect(published).toHaveLength(1);
  });

  test('of another user, of a user in a request without a token, or with an unknown id is not resumed', async () => {
    const tokens = { good: someClaims(), other: someClaims({ sub: 'user-2' }) };
    const { init, published, ports } = setUp({ tokens });
    const users = String((await init(withToken)).conversation_id);
    const anonymous = String((await init()).conversation_id);
    const attempts = [
      await init({ ...withToken, sessionToken: 'other' }, { conversation_id: users }),
      await init({}, { conversation_id: users }),
      await init(withToken, { conversation_id: anonymous }),
      await init({}, { conversation_id: 'id-that-nobody-minted' }),
    ];
    const ids = attempts.map((answer) => answer.conversation_id);
    expect(new Set([...ids, users, anonymous, 'id-that-nobody-minted']).size).toBe(7);
    expect(published).toHaveLength(6);
    expect(await ports.findConversation(SITE_ID, users)).toMatchObject({ user_id: 'user-1' });
  });

  test('of another site is not resumed', async () => {
    const { init, conversations } = setUp();
    conversations.saved.push({
      site_id: 'site_other',
      conversation_id: 'elsewhere',
      session_id: 's',
      visitor_id: 'v',
      user_id: null,
      started_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await init({}, { conversation_id: 'elsewhere' })).conversation_id).not.toBe('elsewhere');
  });
});

describe('the forms', () => {
  const form = (name: string, created_at: string) =>
    aFormAction({ action_id: `act_${name}`, name, slug: name, created_at: `2026-01-0${created_at}T00:00:00.000Z` });
  // The storage returns them in the order of their random ids.
  const forms = [form('a', '3'), form('b', '1'), form('c', '2'), form('d', '2')];
  const namesOf = async (form_order?: string[]) => {
    const { init } = setUp({ forms, ...(form_order === undefined ? {} : { assistant: { form_order } }) });
    return (await init()).forms.map(({ name }) => name).join('');
  };

  test('are in the order of their creation', async () => {
    expect(await namesOf()).toBe('bcda');
  });

  test('are in the order of the admin, then by creation; deleted ones are ignored', async () => {
    expect(await namesOf(['act_d', 'act_gone', 'act_a'])).toBe('dabc');
    expect(await namesOf([])).toBe('bcda');
  });
});

describe('with begin_conversation: false', () => {
  test('no conversation begins and nothing is stored or published, but the request counts', async () => {
    const { init, conversations, published, perHour } = setUp({ forms: [aFormAction()] });
    expect(await init({}, { begin_conversation: false, visitor_id: 'visitor_1' })).toEqual({
      success: true,
      site_id: SITE_ID,
      session_id: null,
      visitor_id: 'visitor_1',
      conversation_id: null,
      forms: [{ slug: 'contact-us', name: 'Contact us', fields: aFormAction().form_fields }],
    });
    expect([conversations.saved, published]).toEqual([[], []]);
    expect(perHour.calls).toHaveLength(1);
  });

  test('the init that begins the conversation later keeps the visitor id of the first init', async () => {
    const { init, published } = setUp();
    const { visitor_id } = await init({}, { begin_conversation: false });
    const second = await init({}, { begin_conversation: true, visitor_id });
    expect(published).toMatchObject([{ data: { conversation_id: second.conversation_id, visitor_id } }]);
  });

  test('a known conversation is resumed', async () => {
    const { init, published } = setUp();
    const first = await init();
    expect(await init({}, { begin_conversation: false, conversation_id: first.conversation_id })).toEqual(first);
    expect(published).toHaveLength(1);
  });

  test('the response has the session of the token', async () => {
    const { init } = setUp(signed());
    const answer = await init(withToken, { begin_conversation: false, conversation_id: 'unknown' });
    expect(answer).toMatchObject({ session_id: 'session-1', visitor_id: 'user-1', conversation_id: null });
  });

  test.each([undefined, null, true])('%s begins a conversation', async (begin_conversation) => {
    const { init, published } = setUp();
    await init({}, { begin_conversation });
    expect(published).toHaveLength(1);
  });

  test.each(['false', 0, {}, []])('%j is refused', async (begin_conversation) => {
    const { init, perHour } = setUp();
    expect((await refusalOf(init({}, { begin_conversation }))).message).toContain('begin_conversation');
    expect(perHour.calls).toEqual([]);
  });
});

describe('the site is identified', () => {
  test.each<[string, Setup, Partial<WidgetCredentials>]>([
    ['when the site is disabled', { assistant: { enabled: false } }, {}],
    ['when the origin is refused', {}, { origin: 'https://evil.example' }],
    ['when the token has expired', { expired: { old: someClaims() } }, { sessionToken: 'old' }],
  ])('%s, so that the refusal can have CORS headers', async (_, setup, credentials) => {
    const { init, ports } = setUp(setup);
    await refusalOf(init(credentials));
    const asked = { credentials: siteIdCredentials(credentials), readBody: () => ({}) };
    expect((await identifyInit(asked, ports)).widget.assistant?.site_id).toBe(SITE_ID);
  });

  test('as undefined when it does not exist', async () => {
    const asked = { credentials: siteIdCredentials({ siteId: 'site_nobody' }), readBody: () => ({}) };
    expect((await identifyInit(asked, setUp().ports)).widget.assistant).toBeUndefined();
  });
});

test('a storage error fails the request of an accepted caller, and does not replace a refusal', async () => {
  const findConversation = async () => {
    throw new Error('The storage is away');
  };
  const asked = { credentials: siteIdCredentials(), readBody: () => ({ conversation_id: 'c-1' }) };
  const { ports, perHour } = setUp();
  await expect(initOf(asked, { ...ports, findConversation })).rejects.toThrow('The storage is away');
  expect(perHour.calls).toEqual([]);
  const disabled = { ...setUp({ assistant: { enabled: false } }).ports, findConversation };
  expect(await refusedWith(initOf(asked, disabled))).toEqual([401, 'Widget site is disabled']);
});
