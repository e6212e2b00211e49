import type { FormAction } from '../../../../src/contract/actions.ts';
import type { Assistant } from '../../../../src/contract/assistants.ts';
import type { CatalogEvent } from '../../../../src/contract/events.ts';
import type { SessionClaims } from '../../../../src/contract/sessions.ts';
import { identifyWidget, type WidgetCredentials } from '../../../../src/domain/auth/authenticate-widget.ts';
import type { Context } from '../../../../src/domain/context.ts';
import { initWidget } from '../../../../src/domain/conversations/init-widget.ts';
import { Refusal } from '../../../../src/domain/refusal.ts';
import { aFormAction, anAssistant, ORG_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { failing } from '../../../fakes/failing.ts';
import { fakeInvocation } from '../../../fakes/invocation.ts';
import { FakeLimit } from '../../../fakes/limits.ts';
import { refusalOf, refusedWith } from '../../../fakes/refusals.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import {
  aConversation,
  memoryConversations,
  siteIdCredentials,
  someClaims,
  widgetAuthentication,
} from '../../../fakes/widget.ts';

type Setup = {
  readonly assistant?: Partial<Assistant>;
  readonly tokens?: Readonly<Record<string, SessionClaims>>;
  readonly forms?: readonly FormAction[];
};

function setUp({ assistant = {}, tokens = { good: someClaims() }, forms = [] }: Setup = {}) {
  const clock = new FrozenClock();
  const perHour = new FakeLimit();
  const conversations = memoryConversations(clock.now);
  const published: CatalogEvent[] = [];
  const invocation = fakeInvocation({ now: clock.now });
  const authentication = widgetAuthentication({ assistants: [anAssistant(assistant)], tokens });
  const context = {
    configuration: {
      ...authentication.configuration,
      formsOf: async () => ({ actions: forms, unreadable: [{ action_id: 'act_unread', cause: new Error() }] }),
    },
    conversations,
    counters: { hitPerMinute: failing('not counted'), hitPerHour: perHour.hit },
    publish: async (event: CatalogEvent) => {
      published.push(event);
      return 'event-1';
    },
  };
  const initReading = async (
    readBody: () => unknown,
    credentials: Partial<WidgetCredentials> = {},
    other: Partial<Context<'conversations' | 'publish'>> = {},
  ) => {
    const widget = await identifyWidget(siteIdCredentials(credentials), authentication);
    return initWidget({ widget, readBody }, { ...context, ...other }, invocation);
  };
  const init = (body: unknown = {}, ...more: [Partial<WidgetCredentials>?, Parameters<typeof initReading>[2]?]) =>
    initReading(() => body, ...more);
  return { clock, perHour, conversations, published, invocation, init, initReading };
}

const SIGNED = { authentication_mode: 'Session Signed' } as const;
const TOKEN = { siteId: undefined, sessionToken: 'good', origin: undefined };

describe('refuses', () => {
  test('a widget that is not admitted, before anything is counted, read or stored', async () => {
    const { initReading, perHour, conversations, published } = setUp({ assistant: { enabled: false } });
    const readBody = () => {
      throw new Refusal('body_not_json');
    };
    expect((await refusalOf(initReading(readBody))).code).toBe('site_disabled');
    expect([perHour.calls, conversations.items(), published]).toEqual([[], [], []]);
    expect((await refusalOf(setUp().initReading(readBody))).code).toBe('body_not_json');
  });

  test('a site over its hourly limit, with the time until the next hour', async () => {
    const { init, perHour, published, conversations } = setUp({ assistant: { hourly_rate_limit: 5 } });
    perHour.decision = { isAllowed: false, retryAfterSeconds: 3233 };
    expect(await refusalOf(init())).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 3233 });
    expect(perHour.calls).toEqual([expect.objectContaining({ key: SITE_ID, limit: 5 })]);
    expect([published, conversations.items()]).toEqual([[], []]);
  });

  test.each([
    ['conversation_id', 'a b'],
    ['conversation_id', 'x'.repeat(129)],
    ['visitor_id', ''],
    ['referrer', 7],
    ['begin_conversation', 'false'],
    ['begin_conversation', 0],
  ])('a body with the %s %j, which does not count', async (field, value) => {
    const { init, perHour } = setUp();
    const refused = refusedWith(init({ [field]: value }));
    expect(await refused).toEqual([400, expect.stringMatching(new RegExp(`^${field}: `))]);
    expect(perHour.calls).toEqual([]);
  });
});

describe('a new conversation', () => {
  test('is stored, published once, and returned with the forms', async () => {
    const { init, conversations, published, invocation, clock } = setUp({ forms: [aFormAction()] });
    const answer = await init({ visitor_id: 'visitor_1', referrer: 'https://search.example/' });
    const ids = { conversation_id: 'id-1', session_id: 'id-2', visitor_id: 'visitor_1' };
    expect(answer).toEqual({
      success: true,
      site_id: SITE_ID,
      ...ids,
      forms: [{ slug: 'contact-us', name: 'Contact us', fields: aFormAction().form_fields }],
    });
    const started_at = clock.now().toISOString();
    const conversation = { site_id: SITE_ID, ...ids, user_id: null, started_at };
    expect(conversations.items()).toMatchObject([{ conversation }]);
    const data = { ...ids, referrer: 'https://search.example/' };
    expect(published).toEqual([{ event: 'conversation.started', org_id: ORG_ID, site_id: SITE_ID, data }]);
    expect(invocation.facts).toEqual([{ kind: 'action_unreadable', action_id: 'act_unread', cause: new Error() }]);
  });

  test('without ids in the request has new ids and no referrer', async () => {
    const { init, published } = setUp();
    const nulls = { conversation_id: null, visitor_id: null, begin_conversation: null };
    const { conversation_id, session_id, visitor_id } = await init(nulls);
    expect(new Set([conversation_id, session_id, visitor_id]).size).toBe(3);
    expect(published[0]?.data).toEqual({ conversation_id, session_id, visitor_id, referrer: null });
  });

  test.each([
    ['the id of a user', 'member-42', 'visitor_member-42'],
    ['the id that the browser received before', 'visitor_1', 'visitor_1'],
    ['a very long id', 'x'.repeat(128), `visitor_${'x'.repeat(120)}`],
  ])('of a visitor whose browser sends %s', async (_, named, visitor_id) => {
    const { init, published } = setUp();
    expect(await init({ visitor_id: named })).toMatchObject({ visitor_id });
    expect(published[0]?.data).toMatchObject({ visitor_id });
  });

  test.each([
    ['member-42', 'member-42'],
    ['visitor_1', '~visitor_1'],
    ['~visitor_1', '~~visitor_1'],
  ])('of the user %s has a visitor id that no visitor and no other user has', async (sub, visitor_id) => {
    const { init, published } = setUp({ tokens: { good: someClaims({ sub }) } });
    expect(await init({ visitor_id: 'somebody-else' }, TOKEN)).toMatchObject({ visitor_id });
    expect(published[0]?.data).toMatchObject({ visitor_id });
  });

  test('with a token belongs to the user and has the session of the token', async () => {
    const { init, conversations } = setUp({ assistant: SIGNED });
    expect(await init({}, TOKEN)).toMatchObject({ session_id: 'session-1', visitor_id: 'user-1' });
    expect(conversations.items()).toMatchObject([{ conversation: { user_id: 'user-1', session_id: 'session-1' } }]);
  });

  test.each([
    [`https://search.example/${'é'.repeat(3000)}`, `https://search.example/${'é'.repeat(1977)}`],
    ['https://shop.example/reset?token=secret\n#top', 'https://shop.example/reset'],
    ['https://shop.example/#token=secret', 'https://shop.example/'],
    ['', ''],
  ])('keeps origin and path of the referrer, 2000 characters at most (case %#)', async (referrer, expected) => {
    const { init, published } = setUp();
    await init({ referrer });
    expect(published[0]?.data.referrer).toBe(expected);
  });

  test('that the bus does not accept fails the request', async () => {
    const publish = failing('The bus is away');
    await expect(setUp().init({}, {}, { publish })).rejects.toThrow('The bus is away');
  });
});

describe('a known conversation', () => {
  test('is resumed with the same ids, and nothing is stored or published', async () => {
    const { init, conversations, published } = setUp();
    const first = await init({ visitor_id: 'visitor_1' });
    const { conversation_id } = first;
    expect(await init({ conversation_id, visitor_id: 'visitor_2' })).toEqual(first);
    expect(await init({ conversation_id, begin_conversation: false })).toEqual(first);
    expect([conversations.items().length, published.length]).toEqual([1, 1]);
  });

  test("is resumed in the session of a user's new token", async () => {
    const { init, published } = setUp({ tokens: { good: someClaims(), later: someClaims({ jti: 'session-2' }) } });
    const { conversation_id } = await init({}, TOKEN);
    const second = await init({ conversation_id }, { ...TOKEN, sessionToken: 'later' });
    expect(second).toMatchObject({ conversation_id, session_id: 'session-2', visitor_id: 'user-1' });
    expect(published).toHaveLength(1);
  });

  test.each<[string, string, Partial<WidgetCredentials>]>([
    ['of another user', 'of-user-1', { ...TOKEN, sessionToken: 'other' }],
    ['of a user, without a token', 'of-user-1', {}],
    ['of an anonymous visitor, with a token', 'anonymous', TOKEN],
    ['of another site', 'elsewhere', {}],
    ['with an unknown id', 'id-that-nobody-minted', {}],
  ])('%s is not resumed', async (_, conversation_id, credentials) => {
    const { init, conversations } = setUp({ tokens: { good: someClaims(), other: someClaims({ sub: 'user-2' }) } });
    for (const stored of [
      { conversation_id: 'of-user-1', user_id: 'user-1' },
      { conversation_id: 'anonymous' },
      { conversation_id: 'elsewhere', site_id: 'site_other' },
    ]) {
      await conversations.saveConversation(aConversation(stored));
    }
    expect(await init({ conversation_id }, credentials)).toMatchObject({
      conversation_id: expect.stringMatching(/^id-\d+$/),
    });
  });
});

describe('the forms', () => {
  const form = (name: string, day: number) =>
    aFormAction({ action_id: `act_${name}`, name, slug: name, created_at: `2026-01-0${day}T00:00:00.000Z` });
  // The storage returns them in the order of their random ids.
  const forms = [form('a', 3), form('b', 1), form('c', 2), form('d', 2)];

  test.each([
    ['of their creation', 'bcda', {}],
    ['of their creation, with an empty list', 'bcda', { form_order: [] }],
    [
      'of the admin, then of creation; deleted ones are ignored',
      'dabc',
      { form_order: ['act_d', 'act_gone', 'act_a'] },
    ],
  ])('are in the order %s', async (_, names, assistant) => {
    const answer = await setUp({ forms, assistant }).init();
    expect(answer.forms.map(({ name }) => name).join('')).toBe(names);
  });
});

describe('with begin_conversation: false', () => {
  test('no conversation begins and nothing is stored or published, but the request counts', async () => {
    const { init, conversations, published, perHour } = setUp({ forms: [aFormAction()] });
    expect(await init({ begin_conversation: false, visitor_id: 'visitor_1' })).toMatchObject({
      session_id: null,
      visitor_id: 'visitor_1',
      conversation_id: null,
      forms: [{ slug: 'contact-us' }],
    });
    expect([conversations.items(), published]).toEqual([[], []]);
    expect(perHour.calls).toHaveLength(1);
  });

  test('the response has the session of the token', async () => {
    const answer = await setUp().init({ begin_conversation: false, conversation_id: 'unknown' }, TOKEN);
    expect(answer).toMatchObject({ session_id: 'session-1', visitor_id: 'user-1', conversation_id: null });
  });
});

test('a storage error fails the request of an accepted caller, and does not replace a refusal', async () => {
  const findConversation = () => Promise.reject(new Error('The storage is away'));
  const init = (set: ReturnType<typeof setUp>) =>
    set.init({ conversation_id: 'c-1' }, {}, { conversations: { ...set.conversations, findConversation } });
  await expect(init(setUp())).rejects.toThrow('The storage is away');
  expect((await refusalOf(init(setUp({ assistant: { enabled: false } })))).code).toBe('site_disabled');
});

test('a repeat costs one more of the hour of the assistant, also when it resumes a conversation', async () => {
  const { init, perHour } = setUp();
  const { conversation_id } = await init();
  await init({ conversation_id });
  expect(perHour.calls).toHaveLength(2);
});
