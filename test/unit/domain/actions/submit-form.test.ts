import fc from 'fast-check';
import type { FormAction } from '../../../../src/contract/actions.ts';
import type { Assistant } from '../../../../src/contract/assistants.ts';
import type { SessionClaims } from '../../../../src/contract/sessions.ts';
import { cleanFormValues, missingRequiredFields, submitForm } from '../../../../src/domain/actions/submit-form.ts';
import { identifyWidget, type WidgetCredentials } from '../../../../src/domain/auth/authenticate-widget.ts';
import type { Context, Escalate, Submission } from '../../../../src/domain/context.ts';
import { EXCERPT_BYTES } from '../../../../src/domain/delivery/delivery-log.ts';
import { aFormAction, anAssistant, ORG_ID, OTHER_SITE_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { answered, attemptFakes, unanswered } from '../../../fakes/delivery.ts';
import { failing } from '../../../fakes/failing.ts';
import { FakeLimit } from '../../../fakes/limits.ts';
import { refusalOf, refusedWith } from '../../../fakes/refusals.ts';
import {
  aConversation,
  memoryConversations,
  siteIdCredentials,
  someClaims,
  widgetAuthentication,
} from '../../../fakes/widget.ts';
import { anyCharacter } from '../../../harness/any-character.ts';

type Setup = {
  readonly assistant?: Partial<Assistant>;
  readonly form?: Partial<FormAction>;
  readonly tokens?: Readonly<Record<string, SessionClaims>>;
  readonly escalate?: Escalate;
};

const CONVERSATION = 'conversation-1';
const SIGNED: Partial<Assistant> = { authentication_mode: 'Session Signed', allowed_domains: [] };
const BODY = { conversation_id: CONVERSATION, values: { email: 'ada@example.com' } };
const KEYED = { ...BODY, client_key: 'key-1' };
const EMOJI = '👩';

async function setUp({ assistant = {}, form = {}, tokens = {}, escalate = async () => 'none' }: Setup = {}) {
  const fakes = attemptFakes();
  const perMinute = new FakeLimit();
  const perHour = new FakeLimit();
  const conversations = memoryConversations(fakes.clock.now);
  await conversations.saveConversation(aConversation({ conversation_id: CONVERSATION }));
  await conversations.saveConversation(aConversation({ conversation_id: 'of-user-1', user_id: 'user-1' }));
  const action = aFormAction(form);
  const assistants = [anAssistant(assistant), anAssistant({ site_id: OTHER_SITE_ID })];
  const authentication = widgetAuthentication({ assistants, tokens });
  const context = {
    ...fakes.context,
    configuration: {
      ...authentication.configuration,
      findForm: async (siteId: string, slug: string) =>
        siteId === action.site_id && slug === action.slug ? action : undefined,
    },
    conversations,
    counters: { hitPerMinute: perMinute.hit, hitPerHour: perHour.hit },
    escalate,
  };
  const submit = async (
    body: unknown = BODY,
    changes: Partial<WidgetCredentials> = {},
    path: { siteId?: string; slug?: string } = {},
    other: Partial<Context<'openSigningSecret' | 'conversations'>> = {},
  ) => {
    const widget = await identifyWidget(siteIdCredentials(changes), authentication);
    const request = { siteId: SITE_ID, slug: 'contact-us', ...path, widget, readBody: () => body };
    return submitForm(request, { ...context, ...other }, fakes.invocation);
  };
  return { ...fakes, perMinute, perHour, conversations, submit };
}

const KEYS_AWAY = { openSigningSecret: failing('The key store is away') };

describe('an accepted submission', () => {
  test('is cleaned, signed and sent once, and the response has its id', async () => {
    const { submit, outbound, log, clock } = await setUp();
    const values = { email: 'ada@example.com', extra: true, dropped: null };
    expect(await submit({ conversation_id: CONVERSATION, values })).toEqual({ success: true, submission_id: 'id-1' });
    expect(outbound.requests).toHaveLength(1);
    const request = outbound.requests[0];
    expect(request).toMatchObject({ method: 'POST', url: 'https://crm.example/forms' });
    expect(outbound.policies).toEqual([{ inFlightOf: ORG_ID, keepBytes: EXCERPT_BYTES }]);
    expect(request?.headers).toMatchObject({
      'X-Service-Trigger': 'form',
      'X-Service-Trigger-Ref': 'id-1',
      'X-Service-Signature': expect.stringContaining(`t=${Math.floor(clock.now().getTime() / 1000)},v1=`),
    });
    expect(Buffer.from(request?.body ?? []).toString()).toBe(
      `{"values":{"email":"ada@example.com","extra":true},"conversation_id":"${CONVERSATION}","submission_id":"id-1"}`,
    );
    const start = { action_id: 'act_form', reference: 'id-1', trigger: 'form', trigger_ref: 'id-1', attempt: 1 };
    expect(await log.all()).toMatchObject([{ ...start, status: 200, success: true, error: null, sends: 1 }]);
  });

  test('is sent although the delivery log fails, and the failure is reported', async () => {
    const { submit, log, invocation, outbound } = await setUp();
    log.failing.add('claim');
    expect(await submit()).toMatchObject({ success: true });
    expect(await log.all()).toMatchObject([{ status: 200, sends: 1 }]);
    log.failing.add('complete');
    await submit();
    expect(outbound.requests).toHaveLength(2);
    const lost = (result: unknown) => ({ action_id: 'act_form', attempt: 1, result, cause: expect.any(Error) });
    const [started, completed] = [lost(null), lost(expect.objectContaining({ status: 200 }))];
    expect(invocation.of('record_lost')).toMatchObject([started, started, completed]);
  });

  test('stays accepted when its outcome cannot be stored', async () => {
    const { submit, invocation, conversations } = await setUp();
    const cause = new Error('The table is away');
    const settleSubmission = async () => Promise.reject(cause);
    const answer = await submit(KEYED, {}, {}, { conversations: { ...conversations, settleSubmission } });
    expect(answer.success).toBe(true);
    expect(invocation.facts).toEqual([
      expect.objectContaining({ kind: 'attempt_made', trigger: 'form', outcome: 'succeeded' }),
      { kind: 'form_forwarded', submission_id: 'id-1', endpoint: true, escalation: 'none' },
      { kind: 'submission_unsettled', submission_id: 'id-1', cause },
    ]);
  });

  test('may come with a session token, from the Domain', async () => {
    const { submit, outbound } = await setUp({ assistant: SIGNED, tokens: { good: someClaims() } });
    await submit({ ...BODY, conversation_id: 'of-user-1' }, { sessionToken: 'good', siteId: undefined });
    expect(outbound.requests).toHaveLength(1);
  });
});

describe('refuses', () => {
  type Case = Setup & {
    readonly body?: object;
    readonly credentials?: Partial<WidgetCredentials>;
    readonly path?: { siteId?: string; slug?: string };
  };
  const signed = (changes: Partial<Assistant> = {}, sub = 'user-1') => ({
    assistant: { ...SIGNED, ...changes },
    tokens: { good: someClaims({ sub }) },
  });
  const token = { sessionToken: 'good' };
  const evil = { ...token, origin: 'https://evil.example' };
  const nowhere = { ...token, origin: undefined };
  const of = (body: object) => ({ body });

  test.each<[string, string, Case]>([
    ['site_disabled', 'a widget that is not admitted', { assistant: { enabled: false } }],
    ['origin_not_allowed', 'a token from elsewhere', { ...signed(), credentials: evil }],
    ['origin_not_allowed', 'a token without a Domain', { ...signed({ domain: '' }), credentials: token }],
    ['origin_required', 'a token without any origin', { ...signed(), credentials: nowhere }],
    ['site_mismatch', 'another site in the path', { path: { siteId: OTHER_SITE_ID } }],
    ['form_not_found', 'an unknown form', { path: { slug: 'nothing' } }],
    ['form_not_found', 'a malformed slug', { path: { slug: 'a/../b' } }],
    ['form_not_found', 'a disabled form', { form: { enabled: false } }],
    ['invalid_request', 'no conversation', of({ conversation_id: undefined })],
    ['invalid_request', 'a body without values', of({ values: undefined })],
    ['invalid_request', 'values that are a list', of({ values: [] })],
    ['invalid_request', 'a malformed key', of({ client_key: 'a b' })],
    ['conversation_unknown', 'an unknown conversation', of({ conversation_id: 'unknown' })],
    ['conversation_unknown', "a user's, without the token", of({ conversation_id: 'of-user-1' })],
    [
      'conversation_unknown',
      "another user's",
      { ...signed({}, 'user-2'), credentials: token, ...of({ conversation_id: 'of-user-1' }) },
    ],
    ['value_required', 'a missing required field', of({ values: { note: 'x' } })],
  ])('with %s: %s', async (code, _, { body = {}, credentials, path, ...setup }) => {
    const { submit, outbound, log, perHour, conversations } = await setUp(setup);
    expect((await refusalOf(submit({ ...KEYED, ...body }, credentials, path))).code).toBe(code);
    // Nothing is sent, or counted against the limit of all visitors, and the key is not claimed.
    expect([outbound.requests, await log.all(), perHour.calls]).toEqual([[], [], []]);
    expect(conversations.items()).toHaveLength(2);
  });

  test('a wrong field with its name', async () => {
    const { submit } = await setUp();
    const missing = submit({ ...BODY, values: { email: ' ' } });
    expect(await refusedWith(missing)).toEqual([400, 'values.email: is required']);
    const malformed = submit({ ...BODY, client_key: '' });
    expect(await refusedWith(malformed)).toEqual([400, 'client_key: must be 1 to 128 letters, digits, _ or -']);
  });

  test('more than 10 in a minute from one address to one assistant', async () => {
    const { submit, perMinute, perHour, outbound } = await setUp();
    perMinute.decision = { isAllowed: false, retryAfterSeconds: 42 };
    const refusal = await refusalOf(submit(BODY, { ip: '2001:db8:1:2::1' }));
    expect(refusal).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 42 });
    expect(perMinute.calls).toMatchObject([{ key: `form-submit#${SITE_ID}#2001:db8:1:2::/64`, limit: 10 }]);
    expect([outbound.requests, perHour.calls]).toEqual([[], []]);
  });

  test.each([
    [6000, {}],
    [9000, { form_submissions_per_hour: 9000 }],
  ])('more than %i in an hour from all addresses, with a code of its own', async (limit, assistant) => {
    const { submit, perHour, outbound, conversations } = await setUp({ assistant });
    perHour.decision = { isAllowed: false, retryAfterSeconds: 60 };
    expect(await refusalOf(submit(KEYED))).toMatchObject({ code: 'form_limit_exceeded', retryAfterSeconds: 60 });
    expect(perHour.calls).toMatchObject([{ key: `forms#${SITE_ID}`, limit }]);
    expect([outbound.requests.length, conversations.items().length]).toEqual([0, 2]);
  });
});

describe('the endpoint and the escalation channels', () => {
  const away: Escalate = failing('The topics are away');

  test('both receive the submission', async () => {
    const told: Submission[] = [];
    const { submit, outbound } = await setUp({
      escalate: async (submission) => {
        told.push(submission);
        return 'accepted';
      },
    });
    await submit();
    expect(outbound.requests).toHaveLength(1);
    expect(told).toEqual([
      {
        assistant: expect.objectContaining({ site_id: SITE_ID }),
        form: expect.objectContaining({ action_id: 'act_form' }),
        body: { ...BODY, submission_id: 'id-1' },
      },
    ]);
  });

  test.each<[string, Escalate, number, boolean]>([
    ['accepted', async () => 'accepted', 500, true],
    ['failed', async () => 'failed', 200, true],
    ['failed', async () => 'failed', 500, false],
    ['failed', away, 200, true],
    ['none', async () => 'none', 200, true],
    ['none', async () => 'none', 500, false],
  ])('%s by %p, and the endpoint responds with %p: accepted %p', async (escalation, escalate, status, accepted) => {
    const { submit, outbound, invocation } = await setUp({ escalate });
    outbound.outcomes = [answered(status)];
    if (accepted) expect(await submit()).toEqual({ success: true, submission_id: 'id-1' });
    else expect(await refusedWith(submit())).toEqual([502, 'The submission could not be delivered']);
    const forwarded = { submission_id: 'id-1', endpoint: status === 200, escalation };
    expect(invocation.of('form_forwarded')).toEqual([{ kind: 'form_forwarded', ...forwarded }]);
  });

  test.each([answered(302), unanswered('timeout')])(
    'do not accept a submission that has one failed attempt (%#)',
    async (outcome) => {
      const { submit, outbound, log } = await setUp();
      outbound.outcomes = [outcome];
      expect(await refusalOf(submit())).toMatchObject({ code: 'submission_failed', submissionId: 'id-1' });
      expect(outbound.requests).toHaveLength(1);
      expect(await log.all()).toMatchObject([{ success: false }]);
    },
  );

  test('cause an internal error, not a 502, when the service cannot reach them', async () => {
    const { submit, outbound } = await setUp({ escalate: away });
    outbound.outcomes = [answered(500)];
    await expect(submit()).rejects.toThrow('The topics are away');
    await expect((await setUp()).submit(BODY, {}, {}, KEYS_AWAY)).rejects.toThrow('The key store is away');
  });

  test('accept although the sealing keys cannot be read', async () => {
    const { submit, invocation } = await setUp({ escalate: async () => 'accepted' });
    expect(await submit(BODY, {}, {}, KEYS_AWAY)).toMatchObject({ success: true });
    const cause = expect.objectContaining({ message: 'The key store is away' });
    expect(invocation.facts).toEqual([
      { kind: 'forward_failed', submission_id: 'id-1', to: 'endpoint', cause },
      { kind: 'form_forwarded', submission_id: 'id-1', endpoint: false, escalation: 'accepted' },
    ]);
  });
});

describe('a client_key', () => {
  test('makes a repeated request return the same submission without sending it again', async () => {
    const { submit, outbound } = await setUp();
    const first = await submit(KEYED);
    expect(await submit(KEYED)).toEqual(first);
    expect((await submit({ ...KEYED, client_key: 'key-2' })).submission_id).not.toBe(first.submission_id);
    expect(outbound.requests).toHaveLength(2);
  });

  test('uses up nothing that all visitors share when it is repeated, also at the limit', async () => {
    const { submit, perHour } = await setUp();
    const first = await submit(KEYED);
    const hits = perHour.calls.length;
    perHour.decision = { isAllowed: false, retryAfterSeconds: 60 };
    expect(await submit(KEYED)).toEqual(first);
    expect(perHour.calls).toHaveLength(hits);
  });

  test('allows a failed submission to be sent again with the same id', async () => {
    const { submit, outbound } = await setUp();
    outbound.outcomes = [answered(503), answered(200)];
    await refusalOf(submit(KEYED));
    const { submission_id } = await submit(KEYED);
    const references = outbound.requests.map((request) => request.headers['X-Service-Trigger-Ref']);
    expect(references).toEqual([submission_id, submission_id]);
  });

  test('is free again after an internal error prevented the submission', async () => {
    const { submit } = await setUp();
    await expect(submit(KEYED, {}, {}, KEYS_AWAY)).rejects.toThrow('The key store is away');
    expect(await submit(KEYED)).toMatchObject({ success: true });
  });

  test.each([
    ['submission_in_progress', 'in progress', 'act_form'],
    ['client_key_reused', 'of another form', 'act_other'],
  ])('is refused as %s while its submission is %s', async (code, _, formId) => {
    const { submit, conversations, outbound, clock } = await setUp();
    const key = { siteId: SITE_ID, conversationId: CONVERSATION, clientKey: 'key-1' };
    await conversations.claimSubmission(key, { formId, submissionId: 'earlier' }, clock.now());
    expect(await refusalOf(submit(KEYED))).toMatchObject({ status: 409, code, field: 'client_key' });
    expect(outbound.requests).toEqual([]);
  });
});

describe('cleaning', () => {
  test.each<[string, unknown]>([
    ['text of 5000 code points', EMOJI.repeat(5000)],
    ['zero', 0],
    ['a fraction', 1.5],
    ['false', false],
    ['an empty list', []],
    ['a list of 50', Array.from({ length: 50 }, (_, i) => `item ${i}`)],
  ])('keeps %s unchanged', (_, value) => {
    expect(cleanFormValues({ field: value })).toEqual({ field: value });
  });

  test('removes the white space around a text, and a text that is then empty, as the widget does', () => {
    const values = { name: ' Ada \u00a0Lovelace\n', phone: '\t+15550100 ', note: '\n\ntext\n', empty: ' \n' };
    const cleaned = { name: 'Ada \u00a0Lovelace', phone: '+15550100', note: 'text' };
    expect(cleanFormValues(values)).toEqual(cleaned);
  });

  test.each<[string, unknown]>([
    ['text of 5001 characters', 'x'.repeat(5001)],
    ['text of 5001 code points', EMOJI.repeat(5001)],
    ['a list of 51', Array.from({ length: 51 }, () => '')],
    ['null', null],
    ['undefined', undefined],
    ['an object', { a: 1 }],
    // JSON.stringify writes only some thousand levels.
    [
      'a list with an item that is nested too deeply',
      ['a', JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ],
  ])('drops %s, and keeps other values', (_, value) => {
    expect(cleanFormValues({ before: 1, field: value, after: 2 })).toEqual({ before: 1, after: 2 });
  });

  test('keeps keys of up to 100 characters, also an empty one, and __proto__ as data', () => {
    const values: Record<string, unknown> = JSON.parse('{"":1,"__proto__":"text","constructor":1}');
    const kept = cleanFormValues({ ...values, [EMOJI.repeat(100)]: 1 });
    expect(JSON.stringify(kept)).toBe(`{"":1,"__proto__":"text","constructor":1,"${EMOJI.repeat(100)}":1}`);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect(cleanFormValues({ ['k'.repeat(101)]: 1, [EMOJI.repeat(101)]: 1 })).toEqual({});
  });

  test('makes the items of a list strings, cut at 500 characters between code points', () => {
    const list = ['a', 1, true, null, { b: [2] }, ['c'], EMOJI.repeat(501), { a: 'y'.repeat(600) }];
    expect(cleanFormValues({ list })).toEqual({
      list: ['a', '1', 'true', 'null', '{"b":[2]}', '["c"]', EMOJI.repeat(500), `{"a":"${'y'.repeat(494)}`],
    });
  });

  test('leaves what obeys every limit, and cleaning it again changes nothing', () => {
    const item = fc.oneof(fc.jsonValue(), fc.string({ unit: 'grapheme', maxLength: 600 }));
    // A few graphemes again and again: thousands of drawn ones are most of what the test would take.
    const long = fc
      .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.integer({ min: 4990, max: 5010 }))
      .map(([text, length]) => [...text.repeat(length)].slice(0, length).join(''));
    const value = fc.oneof(fc.jsonValue(), long, fc.array(item, { maxLength: 52 }), fc.constantFrom(Number.NaN, null));
    const key = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 102 }), fc.constant('__proto__'));
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value), { maxLength: 8 }), (entries) => {
        const values: Record<string, unknown> = Object.fromEntries(entries);
        const clean = cleanFormValues(values);
        for (const [name, kept] of Object.entries(clean)) {
          expect([...name].length).toBeLessThanOrEqual(100);
          expect(Object.hasOwn(values, name)).toBe(true);
          if (typeof kept === 'string') expect([...kept].length).toBeLessThanOrEqual(5000);
          if (Array.isArray(kept)) {
            expect(kept.length).toBeLessThanOrEqual(50);
            expect(kept.every((one) => typeof one === 'string' && [...one].length <= 500)).toBe(true);
          }
        }
        expect(cleanFormValues(clean)).toEqual(clean);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a required field', () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ['absent', { note: 'x' }, true],
    ['null', { email: null }, true],
    ['empty', { email: '' }, true],
    ['blank', { email: ' \t\n' }, true],
    ['an empty list', { email: [] }, true],
    ['zero', { email: 0 }, false],
    ['false', { email: false }, false],
    ['a list', { email: [''] }, false],
    ['text that cleaning drops', { email: 'x'.repeat(5001) }, false],
  ])('that is %s: %p; it is missing: %p', (_, values, missing) => {
    expect(missingRequiredFields(aFormAction().form_fields, values)[0]?.key).toBe(missing ? 'email' : undefined);
  });

  test('is not found on the prototype', () => {
    const named = [{ key: 'constructor', label: 'C', type: 'Text' as const, required: true }];
    expect(missingRequiredFields(named, {})[0]?.key).toBe('constructor');
  });
});
