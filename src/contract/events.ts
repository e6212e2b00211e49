import type { JsonObject } from './fields.ts';

const fires = (group: string, firesWhen: string) => ({ group, firesWhen, reserved: false });
/** An event that can be selected and is never delivered. */
const reservedEvent = (group: string, firesWhen: string) => ({ group, firesWhen, reserved: true });

/** The event catalog of the spec ("Events"): the names that an Event Action can select. */
export const EVENT_CATALOG = {
  'conversation.started': fires('Conversation', 'a new widget conversation begins'),
  'conversation.ended': fires('Conversation', 'a session closes or expires'),
  'conversation.resolved': fires('Conversation', 'a conversation is graded against its goal'),
  'message.received': fires('Message', 'a user sends a message'),
  'message.sent': fires('Message', 'the bot sends a response'),
  'form.submitted': reservedEvent('Form', 'a form submission is collected'),
  'contact.created': fires('Contact', 'a new contact is added'),
  'contact.updated': fires('Contact', 'contact fields are modified'),
  'contact.merged': fires('Contact', 'two contact records are merged'),
  'escalation.triggered': fires('Escalation', 'a live escalation is initiated'),
  'live_chat.requested': fires('Live chat', 'a visitor requests live chat'),
  'live_chat.claimed': fires('Live chat', 'an agent claims a live chat conversation'),
  'live_chat.released': fires('Live chat', 'an agent releases a live chat conversation'),
  'call.completed': reservedEvent('Call', 'a phone call ends'),
  'call.resolved': fires('Call', 'a call is graded against its goal'),
  'campaign.completed': fires('Campaign', 'an outbound campaign finishes'),
  'campaign.contact.completed': reservedEvent('Campaign', 'a single contact in a campaign finishes'),
  'campaign.paused': reservedEvent('Campaign', 'a campaign is paused'),
  'sms.sent': fires('SMS', 'an SMS is sent'),
  'sms.received': fires('SMS', 'an SMS is received'),
  'email.sent': reservedEvent('Email', 'an email is sent (campaign or transactional)'),
  'appointment.booked': fires('Appointment', 'an appointment is booked'),
  'appointment.cancelled': fires('Appointment', 'an appointment is cancelled'),
  'appointment.rescheduled': fires('Appointment', 'an appointment is rescheduled'),
  'personal_assistant.activated': fires('Personal assistant', 'an assignment is accepted and goes active'),
  'compliance.conversation.archived': fires('Compliance', 'a conversation is archived for compliance'),
  'test.ping': fires('System', 'test event sent from the dashboard'),
} as const;

export type EventName = keyof typeof EVENT_CATALOG;

/** A catalog event to put on the bus. An event without `site_id` belongs to the organization and to no assistant. */
export type CatalogEvent = {
  readonly event: EventName;
  readonly org_id: string;
  readonly site_id?: string;
  readonly data: JsonObject;
};

export const EVENT_NAMES = Object.keys(EVENT_CATALOG) as [EventName, ...EventName[]];

/** The events that fire. The reserved ones are registered and selectable but never delivered. */
export const DELIVERED_EVENTS: readonly EventName[] = EVENT_NAMES.filter((name) => !EVENT_CATALOG[name].reserved);

/** The `source` of events from this service and its command line. */
export const PUBLISHED_BY_US = 'va-wave';

/** An event that is not in the catalog: an endpoint has failed for an hour. No Action receives it; operators add rules of their own. */
export const ENDPOINT_FAILING = 'va-wave.endpoint.failing';

/** The organization of the canary's events. It does not exist, so they reach no Action. */
export const CANARY_ORGANIZATION = 'va-wave-canary';
