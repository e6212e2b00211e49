import type { AttemptResult, DeliveryRecord } from '../contract/delivery-record.ts';
import type { RefusalCode, RefusalStatus } from '../contract/errors.ts';
import type { RefusalFacts } from './refusal.ts';
import type { Clock, NewId } from './sources.ts';

/** What a story has of its invocation of a function. */
export type Invocation = {
  /** Fires when the invocation ends, with InvocationEnded as its reason. Nothing begins from then on. */
  readonly signal: AbortSignal;
  readonly now: Clock;
  readonly newId: NewId;
  /** Tells the operator a fact (functions/fact-reporter.ts). It never throws, and the caller never learns of it. */
  readonly reportFact: (fact: Fact) => void;
};

/** Something went wrong and the work went on. The log shows class, code and place of the cause, and never a message that may quote content. */
type Caused = { cause: unknown };
type OfAction = { org_id: string; site_id: string; action_id: string };
type OfAttempt = { action_id: string; reference: string; attempt: number };
type OfMessage = { message_id: string };
type OfPublisher = { source: string | undefined; account: string | undefined };
type OfRoute = { route: string | undefined; site_id: string | undefined };
/** The id and the name of an event, or what its publisher gave instead. */
type OfEvent<Text> = { event_id: Text; event: Text };

/** Every delivery to an endpoint has failed for an hour. Also the data of the event `va-wave.endpoint.failing`, which is delivered to no Action. */
export type EndpointFailing = Readonly<
  OfAction & { /** ISO 8601, UTC. */ failing_since: string; failure_code: string }
>;

/** The steps in their order: the configured server secret, session create, widget init, the widget's file. */
export type TriedStep = 'server_key' | 'session_create' | 'widget_init' | 'widget_file';

export type Trial =
  | { readonly success: true }
  /** The first step that failed, and its problem: a sentence of auth/try-service.ts, a status, or the code or name of an error, never content of a request or response. */
  | { readonly success: false; readonly step: TriedStep; readonly problem: string };

/** What an operator may learn, with the ids that are known: no payload, no secret and no text of a customer. No field is optional but those of a refusal, or a report could forget it. */
type Facts = {
  // Deliveries
  /**
   * An attempt of any kind was made, or a message of the deliveries queue was handled. Outcome `taken`: the attempt has been made before.
   * `recorded`: only the record of an earlier attempt was completed. `unsent`: the Action may send nothing.
   */
  attempt_made: OfAttempt & {
    org_id: string;
    site_id: string | null;
    trigger: DeliveryRecord['trigger'];
    outcome: 'succeeded' | 'failed' | 'taken' | 'unsent' | 'recorded';
    result: AttemptResult | null;
    /** From the Test button, where an endpoint may not work yet: its failures are no alarm. */
    is_test: boolean | undefined;
  };
  /** The sender failed in itself: `internal_error`. */
  send_failed: OfAttempt & Caused;
  /**
   * A record could not be written. `at` and `replay` are of its key. `result`: what the record would have, or null for the record of a start.
   */
  record_lost: OfAttempt & Caused & { at: string; replay: string | undefined; result: AttemptResult | null };
  /** Nor could a message that completes the record later be queued. */
  record_unqueued: OfAttempt & Caused;
  /** A request could not be counted against a limit, and was sent; or its place in flight was not given back, and expires. */
  request_uncounted: Caused & { limit: 'quota' | 'in_flight'; org_id: string };
  endpoint_failing: EndpointFailing;
  watch_failed: Caused & { event_id: string; action_id: string };

  // Events
  /** An event began so many deliveries. `unknown`: the field whose organization or assistant does not exist, so that the event reaches no Action. */
  event_routed: OfEvent<string> & {
    org_id: string;
    site_id: string | null | undefined;
    deliveries: number;
    unknown: 'org_id' | 'site_id' | undefined;
  };
  /** An event was dropped, because its publisher gave it a wrong name or shape. `field` is its first wrong field; empty for the whole event. */
  event_dropped: OfEvent<string | undefined> & OfMessage & OfPublisher & { field: string };

  // Forms and tools
  form_forwarded: { submission_id: string; endpoint: boolean; escalation: 'accepted' | 'failed' | 'none' };
  /** A form submission could not be given to the endpoint, or to one of the channels, because of a fault of the service. */
  forward_failed: Caused & { submission_id: string; to: 'endpoint' | 'escalation' };
  /** The outcome of a form submission could not be stored, so that its key stays claimed for a while. */
  submission_unsettled: Caused & { submission_id: string };
  /** A call of a tool could not be recorded with its conversation. */
  call_unrecorded: Caused & Pick<AttemptResult, 'status' | 'latency_ms'> & { call_id: string; action_id: string };

  // Configuration
  action_unreadable: Caused & { action_id: string };
  /** An assistant could not be read, and the work goes on without it. */
  assistant_unreadable: Caused & { site_id: string };
  /** An organization, a membership of it, or a record of its audit trail cannot be read and is left out. */
  organization_unreadable: Caused & { org_id: string };

  // Functions
  /** A request was refused. A direct invocation has no route: its caller gets the refusal as its result. The site is one that exists. */
  request_refused: { code: RefusalCode; status: RefusalStatus } & OfRoute & RefusalFacts;
  request_failed: Caused;
  invocation_failed: Caused;
  /** A queue message could not be handled and becomes visible again, after these seconds or else the visibility timeout of its queue. */
  message_failed: Caused & OfMessage & { seconds: number | undefined };
  message_waits: Caused & OfMessage & { seconds: number; why: 'in_progress' | 'throttled' };
  /** The time of a message that waits could not be set: the visibility timeout of the queue applies. */
  message_unhidden: Caused & OfMessage;
  canary_ran: Trial;
  token_key_age: { days: number };
  /** A key was added. `keys`: how many there are; `kid`: the id of the new one. */
  token_keys_rotated: { keys: number; kid: string };
};

export type FactOf<Kind extends keyof Facts> = Readonly<{ kind: Kind } & Facts[Kind]>;
export type Fact = { [Kind in keyof Facts]: FactOf<Kind> }[keyof Facts];
