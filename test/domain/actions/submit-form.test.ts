import type { FormAction } from '../../../src/contract/actions.ts';
import type { Assistant } from '../../../src/contract/assistants.ts';
import type { SessionClaims } from '../../../src/contract/sessions.ts';
import { type EscalationChannel, type SubmitFormPorts, submitForm } from '../../../src/domain/actions/submit-form.ts';
import { identifyWidget, type WidgetCredentials } from '../../../src/domain/auth/authenticate-widget.ts';
import { aFormAction, anAssistant, OTHER_SITE_ID, SITE_ID } from '../../fakes/configuration.ts';
import { answered, attemptFakes, unanswered } from '../../fakes/delivery.ts';
import { FakeLimit } from '../../fakes/limits.ts';
import { refusalOf, refusedWith } from '../../fakes/refusals.ts';
import { countingIds } from '../../fakes/sources.ts';
import {
  aConversation,
  InMemoryConversations,
  siteIdCredentials,
  someClaims,
  widgetAuthentication,
} from '../../fakes/widget.ts';

type Setup = {
  readonly assistant?: Partial<Assistant>;
  readonly form?: Partial<FormAction>;
  readonly tokens?: Readonly<Record<string, SessionClaims>>;
  readonly escalate?: EscalationChannel;
};

const CONVERSATION = 'conversation-1';
const SIGNED: Partial<Assistant> = { authentication_mode: 'Session Signed', allowed_domains: [] };
const BODY = { conversation_id: CONVERSATION, values: { email: 'ada@example.com' } };

function setUp({ assistant = {}, form = {}, tokens = {}, escalate = async () => 'none' }: Setup = {}) {
  const fakes = attemptFakes();
  const perMinute = new FakeLimit();
  const perHour = new FakeLimit();
  const conversations = new InMemoryConversations();
  conversations.saved.push(
    aConversation({ conversation_id: CONVERSATION }),
    aConversation({ conversation_id: 'of-user-1', user_id: 'user-1' }),
  );
  const action = aFormAction(form);
  const outcomes: Parameters<SubmitFormPorts['forwarded']>[0][] = [];
  const unsettled: string[] = [];
  const assistants = [anAssistant(assistant), anAssistant({ site_id: OTHER_SITE_ID })];
  const identified = (changes: Partial<WidgetCredentials> = {}) =>
    identifyWidget(siteIdCredentials(changes), widgetAuthentication({ assistants, tokens }));
  const ports: SubmitFormPorts = {
    ...fakes.ports,
    findForm: async (siteId, slug) => (siteId === action.site_id && slug === action.slug ? action : undefined),
    findConversation: conversations.findConversation,
    claimSubmission: conversations.claimSubmission,
    settleSubmission: conversations.settleSubmission,
    hitPerMinute: perMinute.hit,
    hitPerHour: perHour.hit,
    escalate,
    forwarded: (outcome) => outcomes.push(outcome),
    settleFailed: (submissionId) => unsettled.push(submissionId),
    newId: countingIds(),
  };
  const submit = async (
    body: unknown = BODY,
    changes: Partial<WidgetCredentials> = {},
    path: { siteId?: string; slug?: string } = {},
    other: Partial<SubmitFormPorts> = {},
  ) =>
    submitForm(
      { siteId: SITE_ID, slug: 'contact-us', ...path, widget: await identified(changes), readBody: () => body },
      { ...ports, ...other },
    );
  return { ...fakes, perMinute, perHour, conversations, outcomes, unsettled, submit };
}

describe('the limit of an assistant', () => {
  test('counts the submissions of all addresses, and is what the operator set', async () => {
    const { submit, perHour } = setUp();
    await submit();
    await submit(BODY, { ip: '2001:db8::1' });
    expect(perHour.calls.map(({ key, limit }) => [key, limit])).toEqual([
      [`forms#${SITE_ID}`, 6000],
      [`forms#${SITE_ID}`, 6000],
    ]);
    const raised = setUp({ assistant: { form_submissions_per_hour: 9000 } });
    await raised.submit();
    expect(raised.perHour.calls.map(({ limit }) => limit)).toEqual([9000]);
  });

  test('is not used up by submissions that would not be sent', async () => {
    const { submit, perMinute, perHour } = setUp();
    await refusalOf(submit({ ...BODY, conversation_id: 'unknown' }));
    await refusalOf(submit({ ...BODY, values: {} }));
    perMinute.decision = { allowed: false, retryAfterSeconds: 7 };
    await refusalOf(submit());
    expect(perHour.calls).toEqual([]);
  });

  test('refuses with its own code, and sends nothing', async () => {
    const { submit, perHour, outbound, conversations } = setUp();
    perHour.decision = { allowed: false, retryAfterSeconds: 60 };
    expect(await refusalOf(submit({ ...BODY, client_key: 'k' }))).toMatchObject({
      code: 'form_limit_exceeded',
      status: 429,
      message: 'Rate limit exceeded',
      retryAfterSeconds: 60,
    });
    expect([outbound.requests.length, conversations.submissions.size]).toEqual([0, 0]);
  });
});

const keyStoreAway = async () => {
  throw new Error('The key store is away');
};

describe('an accepted submission', () => {
  test('stays accepted when its outcome cannot be stored', async () => {
    const { submit, unsettled } = setUp();
    const settleSubmission = async () => Promise.reject(new Error('The table is away'));
    const answer = await submit({ ...BODY, client_key: 'k' }, {}, {}, { settleSubmission });
    expect(answer).toEqual({ success: true, submission_id: 'id-1' });
    expect(unsettled).toEqual(['id-1']);
  });

  test('is cleaned, signed and sent once, and the response has its id', async () => {
    const { submit, outbound, clock } = setUp();
    const values = { email: 'ada@example.com', extra: true, dropped: null, ['k'.repeat(101)]: 'x' };
    const answer = await submit({ conversation_id: CONVERSATION, values });
    expect(answer).toEqual({ success: true, submission_id: 'id-1' });
    expect(outbound.requests).toHaveLength(1);
    const request = outbound.requests[0];
    expect(request).toMatchObject({ method: 'POST', url: 'https://crm.example/forms' });
    expect(request?.connectionKey).toBeUndefined();
    expect(request?.headers).toMatchObject({
      'X-Service-Trigger': 'form',
      'X-Service-Trigger-Ref': 'id-1',
      'X-Service-Signature': expect.stringContaining(`t=${Math.floor(clock.now().getTime() / 1000)},v1=`),
    });
    expect(Buffer.from(request?.body ?? []).toString()).toBe(
      `{"values":{"email":"ada@example.com","extra":true},"conversation_id":"${CONVERSATION}","submission_id":"id-1"}`,
    );
  });

  test('has one record in the delivery log', async () => {
    const { submit, log } = setUp();
    await submit();
    expect(log.all()).toEqual([
      {
        start: expect.objectContaining({
          action_id: 'act_form',
          reference: 'id-1',
          trigger: 'form',
          trigger_ref: 'id-1',
          attempt: 1,
        }),
        result: expect.objectContaining({ status: 200, success: true, error: null }),
        sends: 1,
      },
    ]);
  });

  test('is sent although the delivery log fails, and the failure is reported', async () => {
    const { submit, log, logWriteFailed, outbound } = setUp();
    log.failing.add('claim').add('complete');
    expect(await submit()).toMatchObject({ success: true });
    expect(outbound.requests).toHaveLength(1);
    expect(logWriteFailed.calls.map((call) => call.result?.status ?? null)).toEqual([null, 200]);
  });

  test('with a session token must come from the Domain', async () => {
    const { submit, outbound } = setUp({ assistant: SIGNED, tokens: { good: someClaims() } });
    const body = { ...BODY, conversation_id: 'of-user-1' };
    await submit(body, { sessionToken: 'good', siteId: undefined });
    expect(outbound.requests).toHaveLength(1);
  });
});

describe('refuses', () => {
  type Case = Setup & {
    readonly body?: unknown;
    readonly credentials?: Partial<WidgetCredentials>;
    readonly path?: { siteId?: string; slug?: string };
  };
  const evil = { origin: 'https://evil.example' };
  const signed = (changes: Partial<Assistant> = {}) => ({
    assistant: { ...SIGNED, ...changes },
    tokens: { good: someClaims() },
  });
  const token = { sessionToken: 'good' };
  const of = (body: object) => ({ body: { ...BODY, ...body } });

  test.each<[number, string, string, Case]>([
    [401, 'Origin not in allowed domains', 'another origin', { credentials: evil }],
    [
      401,
      'Origin not in allowed domains',
      'a token from elsewhere',
      { ...signed(), credentials: { ...token, ...evil } },
    ],
    [
      401,
      'Origin not in allowed domains',
      'a token without a Domain',
      { ...signed({ domain: '' }), credentials: token },
    ],
    [
      401,
      'Origin or Referer header required for safelist auth',
      'a token without any origin',
      { ...signed(), credentials: { ...token, origin: undefined } },
    ],
    [401, 'Widget site is disabled', 'a disabled site', { assistant: { enabled: false } }],
    [403, 'The credential belongs to another site', 'another site in the path', { path: { siteId: OTHER_SITE_ID } }],
    [404, 'Form not found', 'an unknown form', { path: { slug: 'nothing' } }],
    [404, 'Form not found', 'a malformed slug', { path: { slug: 'a/../b' } }],
    [404, 'Form not found', 'a disabled form', { form: { enabled: false } }],
    [400, 'conversation_id: is required', 'no conversation', of({ conversation_id: undefined })],
    [400, 'values: must be an object', 'a body without values', of({ values: undefined })],
    [400, 'values: must be an object', 'values that are a list', of({ values: [] })],
    [400, 'client_key: must be 1 to 128 letters, digits, _ or -', 'a malformed key', of({ client_key: 'a b' })],
    [400, 'conversation_id: unknown conversation', 'an unknown conversation', of({ conversation_id: 'unknown' })],
    [400, 'conversation_id: unknown conversation', "a user's, without the token", of({ conversation_id: 'of-user-1' })],
    [400, 'values.email: is required', 'a missing required field', of({ values: { note: 'x' } })],
    [400, 'values.email: is required', 'a blank required field', of({ values: { email: '  ' } })],
  ])('with %i %s: %s', async (status, message, _, { body = BODY, credentials, path, ...setup }) => {
    const { submit, outbound, log } = setUp(setup);
    expect(await refusedWith(submit(body, credentials, path))).toEqual([status, message]);
    expect([outbound.requests, log.all()]).toEqual([[], []]);
  });

  test("another user's conversation", async () => {
    const { submit } = setUp({ assistant: SIGNED, tokens: { other: someClaims({ sub: 'user-2' }) } });
    const refused = submit({ ...BODY, conversation_id: 'of-user-1' }, { sessionToken: 'other' });
    expect(await refusedWith(refused)).toEqual([400, 'conversation_id: unknown conversation']);
  });

  test('more than 10 in a minute from one address to one assistant', async () => {
    const { submit, perMinute, outbound } = setUp();
    await submit(BODY, { ip: '2001:db8:1:2::1' });
    expect(perMinute.calls).toMatchObject([{ key: `form-submit#${SITE_ID}#2001:db8:1:2::/64`, limit: 10 }]);
    perMinute.decision = { allowed: false, retryAfterSeconds: 42 };
    const refusal = await refusalOf(submit());
    expect([refusal.status, refusal.message, refusal.retryAfterSeconds]).toEqual([429, 'Rate limit exceeded', 42]);
    expect(outbound.requests).toHaveLength(1);
  });
});

describe('neither endpoint nor channel accepts', () => {
  test.each([
    ['500', answered(500)],
    ['400', answered(400)],
    ['a redirect', answered(302)],
    ['a timeout', unanswered('timeout')],
    ['a blocked address', unanswered('blocked_address')],
  ])('%s: answers 502 after one recorded attempt', async (_, outcome) => {
    const { submit, outbound, log } = setUp();
    outbound.outcomes = [outcome];
    expect(await refusedWith(submit())).toEqual([502, 'The submission could not be delivered']);
    expect(outbound.requests).toHaveLength(1);
    expect(log.all().map((record) => record.result?.success)).toEqual([false]);
  });
});

describe('the escalation channels', () => {
  const away: EscalationChannel = async () => {
    throw new Error('The topics are away');
  };

  test('receive the submission in addition to the endpoint', async () => {
    const told: Parameters<EscalationChannel>[0][] = [];
    const { submit, outbound } = setUp({
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
        body: { values: { email: 'ada@example.com' }, conversation_id: CONVERSATION, submission_id: 'id-1' },
      },
    ]);
  });

  test.each<[string, EscalationChannel, number, boolean]>([
    ['accepted', async () => 'accepted', 200, true],
    ['accepted', async () => 'accepted', 500, true],
    ['failed', async () => 'failed', 200, true],
    ['failed', async () => 'failed', 500, false],
    ['failed', away, 200, true],
    ['none', async () => 'none', 200, true],
    ['none', async () => 'none', 500, false],
  ])('%s by %p, and the endpoint responds with %p: accepted %p', async (escalation, escalate, status, accepted) => {
    const { submit, outbound, outcomes } = setUp({ escalate });
    outbound.outcomes = [answered(status)];
    if (accepted) expect(await submit()).toEqual({ success: true, submission_id: 'id-1' });
    else expect(await refusedWith(submit())).toEqual([502, 'The submission could not be delivered']);
    expect(outcomes).toEqual([{ submissionId: 'id-1', endpoint: status === 200, escalation }]);
  });

  test('cause an internal error, not a 502, when the service cannot reach them', async () => {
    const { submit, outbound } = setUp({ escalate: away });
    outbound.outcomes = [answered(500)];
    await expect(submit()).rejects.toThrow('The topics are away');
  });

  test('accept although the sealing keys cannot be read', async () => {
    const { submit } = setUp({ escalate: async () => 'accepted' });
    expect(await submit(BODY, {}, {}, { openSigningSecret: keyStoreAway })).toMatchObject({ success: true });
  });
});

describe('a client_key', () => {
  const KEYED = { ...BODY, client_key: 'key-1' };

  test('makes a repeated request return the same submission without sending it again', async () => {
    const { submit, outbound } = setUp();
    const first = await submit(KEYED);
    expect(await submit(KEYED)).toEqual(first);
    expect(outbound.requests).toHaveLength(1);
  });

  test('allows a failed submission to be sent again with the same id', async () => {
    const { submit, outbound } = setUp();
    outbound.outcomes = [answered(503), answered(200)];
    expect((await refusalOf(submit(KEYED))).status).toBe(502);
    const second = await submit(KEYED);
    expect(outbound.requests.map((request) => request.headers['X-Service-Trigger-Ref'])).toEqual([
      second.submission_id,
      second.submission_id,
    ]);
  });

  test.each([
    ['submission_in_progress', 'in progress', 'act_form'],
    ['client_key_reused', 'of another form', 'act_other'],
  ])('is refused as %s while its submission is %s', async (code, _, formId) => {
    const { submit, conversations, outbound } = setUp();
    const key = { siteId: SITE_ID, conversationId: CONVERSATION, clientKey: 'key-1', formId };
    await conversations.claimSubmission(key, 'earlier');
    expect(await refusalOf(submit(KEYED))).toMatchObject({ status: 409, code, field: 'client_key' });
    expect(outbound.requests).toEqual([]);
  });

  test('is free again after an internal error prevented the submission', async () => {
    const { submit } = setUp();
    const failed = submit(KEYED, {}, {}, { openSigningSecret: keyStoreAway });
    await expect(failed).rejects.toThrow('The key store is away');
    expect(await submit(KEYED)).toMatchObject({ success: true });
  });

  test('with another value is another submission', async () => {
    const { submit } = setUp();
    const first = await submit(KEYED);
    const second = await submit({ ...BODY, client_key: 'key-2' });
    expect(second.submission_id).not.toBe(first.submission_id);
  });

  test('is claimed only by a valid request', async () => {
    const { submit, conversations } = setUp();
    await refusalOf(submit({ ...KEYED, values: {} }));
    expect(conversations.submissions.size).toBe(0);
  });
});
