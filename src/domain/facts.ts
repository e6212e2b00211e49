import type { AttemptResult } from '../contract/delivery-record.ts';
import type { RefusalCode, RefusalStatus } from '../contract/errors.ts';
import type { Clock, NewId } from './sources.ts';

/** What a story has of its invocation of a function. */
export type Invocation = {
  /** Fires when the invocation ends, with InvocationEnded as its reason. Nothing begins from then on. */
  readonly signal: AbortSignal;
  readonly now: Clock;
  readonly newId: NewId;
  /** Tells the operator a fact (functions/report.ts). It never throws, and the caller never learns of it. */
  readonly report: (fact: Fact) => void;
};

/** Something went wrong and the work went on. The log shows class, code and place of the cause, and never a message that may quote content. */
type Caused = { readonly cause: unknown };
/** Identifies an attempt in the delivery log. */
type OfAttempt = { readonly action_id: string; readonly reference: string; readonly attempt: number };
/** Identifies an event, or what its publisher gave instead. */
type OfEvent<Id> = { readonly event_id: Id; readonly event: Id };

/** Every delivery to an endpoint has failed for an hour. Also the data of the event `va-wave.endpoint.failing`, which is delivered to no Action. */
export type EndpointFailing = {
  readonly org_id: string;
  readonly site_id: string;
  readonly action_id: string;
  /** ISO 8601, UTC. */
  readonly failing_since: string;
  readonly failure_code: string;
};

/** What an operator may learn, with the ids that are known. A fact has no payload, no secret and no text of a customer. */
type Facts = {
  // Deliveries
  /** A message of the deliveries queue was handled. */
  readonly attempted: {
    readonly event_id: string;
    readonly org_id: string;
    readonly site_id: string;
    readonly action_id: string;
    readonly attempt: number;
    /** `taken`: another message has, or this one had, made the attempt. `recorded`: only the record of an earlier attempt was completed. */
    readonly outcome: 'succeeded' | 'failed' | 'taken' | 'unsent' | 'recorded';
    readonly result: AttemptResult | null;
  };
  /** The sender failed in itself: `internal_error`. */
  readonly send_failed: OfAttempt & Caused;
  /** A record could not be written. `result`: what the record would have, or null for the record of a start. */
  readonly record_lost: OfAttempt &
    Caused & {
      readonly at: string;
      readonly replay?: string | undefined;
      readonly result: AttemptResult | null;
    };
  /** Nor could a message that completes the record later be queued. */
  readonly record_unqueued: OfAttempt & Caused;
  /** A request could not be counted against a limit, and was sent; or its place in flight was not given back, and expires. */
  readonly uncounted: Caused & { readonly limit: 'quota' | 'in_flight'; readonly org_id: string };
  readonly endpoint_failing: EndpointFailing;
  /** The check for a failing endpoint did not complete. */
  readonly watch_failed: Caused & { readonly event_id: string; readonly action_id: string };

  // Events
  readonly routed: OfEvent<string> & {
    readonly org_id: string;
    readonly site_id?: string | null | undefined;
    /** Number of deliveries that began. */
    readonly deliveries: number;
    /** The field that names no organization, or no assistant of the organization. Such an event reaches no Action. */
    readonly unknown?: 'org_id' | 'site_id';
  };
  /** An event was dropped, because its publisher gave it a wrong name or shape. `field` is its first wrong field; empty for the whole event. */
  readonly dropped: OfEvent<string | undefined> & {
    readonly message_id: string;
    readonly source: string | undefined;
    readonly account: string | undefined;
    readonly field: string;
  };

  // Forms and tools
  /** A form submission went to its endpoint and to the escalation channels. */
  readonly forwarded: {
    readonly submission_id: string;
    readonly endpoint: boolean;
    readonly escalation: 'accepted' | 'failed' | 'none';
  };
  /** A form submission could not be given to the endpoint, or to one of the channels, because of a fault of the service. */
  readonly forward_failed: Caused & { readonly submission_id: string; readonly to: 'endpoint' | 'escalation' };
  /** The outcome of a form submission could not be stored, so that its key stays claimed for a while. */
  readonly submission_unsettled: Caused & { readonly submission_id: string };
  /** A call of a tool could not be recorded with its conversation. */
  readonly call_unrecorded: Caused &
    Pick<AttemptResult, 'status' | 'latency_ms'> & { readonly call_id: string; readonly action_id: string };

  // Configuration
  /** A stored Action cannot be read and is left out. */
  readonly action_unreadable: Caused & { readonly action_id: string };
  /** An assistant could not be read, and the work goes on without it. */
  readonly assistant_unreadable: Caused & { readonly site_id: string };

  // Functions
  readonly refused: {
    readonly code: RefusalCode;
    readonly status: RefusalStatus;
    /** Absent for a direct invocation, whose caller gets the refusal as its result. */
    readonly route?: string;
    /** Only when the assistant exists. */
    readonly site_id?: string | undefined;
  };
  /** An HTTP request was answered with 500. */
  readonly request_failed: Caused & { readonly api_request_id: string };
  /** A direct invocation ended with an error. */
  readonly invocation_failed: Caused;
  /** A queue message could not be handled and becomes visible again. */
  readonly message_failed: Caused & { readonly message_id: string };
  /** A queue message becomes visible again after these seconds. */
  readonly message_waits: {
    readonly message_id: string;
    readonly seconds: number;
    readonly why: 'in_progress' | 'throttled';
  };
  /** The time of a message that waits could not be set: the visibility timeout of the queue applies. */
  readonly message_unhidden: Caused & { readonly message_id: string };
  readonly canary_ran: { readonly succeeded: boolean; readonly step?: string; readonly problem?: string };
  readonly token_key_age: { readonly days: number };
  readonly token_keys_rotated: { readonly keys: number; readonly kid: string };
};

export type FactOf<Kind extends keyof Facts> = { readonly kind: Kind } & Facts[Kind];
export type Fact = { [Kind in keyof Facts]: FactOf<Kind> }[keyof Facts];
