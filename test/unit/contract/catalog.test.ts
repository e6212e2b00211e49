import { REFUSALS } from '../../../src/contract/errors.ts';
import { DELIVERED_EVENTS, EVENT_CATALOG, EVENT_NAMES } from '../../../src/contract/events.ts';
import * as limits from '../../../src/contract/limits.ts';

/** The spec's "Events" table with group, event and the flag R. */
const SPEC_EVENTS = `
Conversation        conversation.started
Conversation        conversation.ended
Conversation        conversation.resolved
Message             message.received
Message             message.sent
Form                form.submitted               R
Contact             contact.created
Contact             contact.updated
Contact             contact.merged
Escalation          escalation.triggered
Live chat           live_chat.requested
Live chat           live_chat.claimed
Live chat           live_chat.released
Call                call.completed               R
Call                call.resolved
Campaign            campaign.completed
Campaign            campaign.contact.completed   R
Campaign            campaign.paused              R
SMS                 sms.sent
SMS                 sms.received
Email               email.sent                   R
Appointment         appointment.booked
Appointment         appointment.cancelled
Appointment         appointment.rescheduled
Personal assistant  personal_assistant.activated
Compliance          compliance.conversation.archived
System              test.ping
`
  .trim()
  .split('\n')
  .map((line) => line.split(/ {2,}/));

test('the catalog has the events of the spec in the same order and groups', () => {
  const catalog = EVENT_NAMES.map((name) => {
    const { group, reserved } = EVENT_CATALOG[name];
    return reserved ? [group, name, 'R'] : [group, name];
  });
  expect(catalog).toEqual(SPEC_EVENTS);
  expect(DELIVERED_EVENTS).toEqual(SPEC_EVENTS.flatMap(([, name, flag]) => (flag === 'R' ? [] : name)));
});

test('the limits are equal to the numbers of the spec', () => {
  expect(limits).toMatchObject({
    SESSION_CREATE_PER_MINUTE: 20,
    FORM_SUBMISSIONS_PER_MINUTE: 10,
    TTL_MINUTES_DEFAULT: 15,
    TTL_MINUTES_MIN: 1,
    TTL_MINUTES_MAX: 60,
    USER_ID_MAX_CHARACTERS: 255,
    USER_NAME_MAX_CHARACTERS: 100,
    USER_EMAIL_MAX_CHARACTERS: 255,
    CONTEXT_MAX_BYTES: 2048,
    USAGE_WEBHOOK_SECRET_MIN_CHARACTERS: 32,
    OUTBOUND_TIMEOUT_MS: 5000,
    RESPONSE_READ_MAX_BYTES: 1024 * 1024,
    ACTIONS_PER_ORGANIZATION: 50,
    URL_MAX_CHARACTERS: 2000,
    EVENT_ATTEMPTS: 3,
    EVENT_RETRY_DELAYS_SECONDS: [2, 4],
    AI_CALLS_PER_CONVERSATION: 5,
    AI_DESCRIPTION_MIN_CHARACTERS: 10,
    NON_JSON_RESPONSE_CHARACTERS: 500,
    RESPONSE_EXCERPT_CHARACTERS: 2000,
    FORM_KEY_MAX_CHARACTERS: 100,
    FORM_STRING_MAX_CHARACTERS: 5000,
    FORM_LIST_MAX_ITEMS: 50,
    FORM_LIST_ITEM_MAX_CHARACTERS: 500,
  });
});

test('the refusals have the statuses and messages of the spec', () => {
  expect(REFUSALS).toMatchObject({
    origin_not_allowed: { status: 401, message: 'Origin not in allowed domains' },
    no_allowed_domains: { status: 401, message: 'Site has no allowed domains configured' },
    origin_required: { status: 401, message: 'Origin or Referer header required for safelist auth' },
    session_token_required: { status: 401, message: 'This site requires session token authentication' },
    site_disabled: { status: 401, message: 'Widget site is disabled' },
    ip_not_allowed: { status: 403, message: 'Access denied: IP not in allowlist' },
    rate_limit_exceeded: { status: 429, message: 'Rate limit exceeded' },
    server_key_required: { status: 401, message: 'Server key required' },
    server_key_malformed: { status: 401, message: 'Invalid server key format' },
    server_key_invalid: { status: 401, message: 'Invalid server key' },
  });
});
