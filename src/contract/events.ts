/** The event catalog of the spec ("Events"): 27 names that an Event Action can select. */
export const EVENT_CATALOG = {
  'conversation.started': { group: 'Conversation', firesWhen: 'a new widget conversation begins', reserved: false },
  'conversation.ended': { group: 'Conversation', firesWhen: 'a session closes or expires', reserved: false },
  'conversation.resolved': {
    group: 'Conversation',
    firesWhen: 'a conversation is graded against its goal',
    reserved: false,
  },
  'message.received': { group: 'Message', firesWhen: 'a user sends a message', reserved: false },
  'message.sent': { group: 'Message', firesWhen: 'the bot sends a response', reserved: false },
  'form.submitted': { group: 'Form', firesWhen: 'a form submission is collected', reserved: true },
  'contact.created': { group: 'Contact', firesWhen: 'a new contact is added', reserved: false },
  'contact.updated': { group: 'Contact', firesWhen: 'contact fields are modified', reserved: false },
  'contact.merged': { group: 'Contact', firesWhen: 'two contact records are merged', reserved: false },
  'escalation.triggered': { group: 'Escalation', firesWhen: 'a live escalation is initiated', reserved: false },
  'live_chat.requested': { group: 'Live chat', firesWhen: 'a visitor requests live chat', reserved: false },
  'live_chat.claimed': {
    group: 'Live chat',
    firesWhen: 'an agent claims a live chat conversation',
    reserved: false,
  },
  'live_chat.released': {
    group: 'Live chat',
    firesWhen: 'an agent releases a live chat conversation',
    reserved: false,
  },
  'call.completed': { group: 'Call', firesWhen: 'a phone call ends', reserved: true },
  'call.resolved': { group: 'Call', firesWhen: 'a call is graded against its goal', reserved: false },
  'campaign.completed': { group: 'Campaign', firesWhen: 'an outbound campaign finishes', reserved: false },
  'campaign.contact.completed': {
    group: 'Campaign',
    firesWhen: 'a single contact in a campaign finishes',
    reserved: true,
  },
  'campaign.paused': { group: 'Campaign', firesWhen: 'a campaign is paused', reserved: true },
  'sms.sent': { group: 'SMS', firesWhen: 'an SMS is sent', reserved: false },
  'sms.received': { group: 'SMS', firesWhen: 'an SMS is received', reserved: false },
  'email.sent': { group: 'Email', firesWhen: 'an email is sent (campaign or transactional)', reserved: true },
  'appointment.booked': { group: 'Appointment', firesWhen: 'an appointment is booked', reserved: false },
  'appointment.cancelled': { group: 'Appointment', firesWhen: 'an appointment is cancelled', reserved: false },
  'appointment.rescheduled': {
    group: 'Appointment',
    firesWhen: 'an appointment is rescheduled',
    reserved: false,
  },
  'personal_assistant.activated': {
    group: 'Personal assistant',
    firesWhen: 'an assignment is accepted and goes active',
    reserved: false,
  },
  'compliance.conversation.archived': {
    group: 'Compliance',
    firesWhen: 'a conversation is archived for compliance',
    reserved: false,
  },
  'test.ping': { group: 'System', firesWhen: 'test event sent from the dashboard', reserved: false },
} as const satisfies Record<string, { group: string; firesWhen: string; reserved: boolean }>;

export type EventName = keyof typeof EVENT_CATALOG;

export const EVENT_NAMES = Object.keys(EVENT_CATALOG) as [EventName, ...EventName[]];

/** The 22 events that fire; the five reserved ones are registered and selectable but never delivered. */
export const DELIVERED_EVENTS: readonly EventName[] = EVENT_NAMES.filter((name) => !EVENT_CATALOG[name].reserved);

/**
 * Name of an event of this service that is not in the catalog: an endpoint has failed for an hour. No Action receives it; operators add their
 * own rules for it.
 */
export const ENDPOINT_FAILING = 'va-wave.endpoint.failing';

/** The organization of the canary's events. It does not exist, so they reach no Action. */
export const CANARY_ORGANIZATION = 'va-wave-canary';
