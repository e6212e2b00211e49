import type { Action, AiAction, EventAction, FormAction, Method, Offered } from '../contract/actions.ts';
import type { Assistant } from '../contract/assistants.ts';
import type { TestResult } from '../contract/dashboard.ts';
import type { AttemptResult, DeliveryError, DeliveryRecord } from '../contract/delivery-record.ts';
import type { CatalogEvent } from '../contract/events.ts';
import type { RawNumber } from '../contract/fields.ts';
import type { AuditRecord, Membership, Organization } from '../contract/organizations.ts';
import type { DeliveryMessage } from '../contract/queues.ts';
import type { SessionClaims } from '../contract/sessions.ts';
import type { Conversation } from '../contract/widget.ts';
import type { EndpointFailing, Invocation } from './facts.ts';
import type { TokenProblem } from './refusal.ts';
import type { Clock, RandomBytes } from './sources.ts';

/**
 * What the rules need of the world, by chapter. Adapters provide it, and tests pass small fakes. A story is
 * `story(input, context, invocation)`, and its type names the members that it uses: `Context<'configuration' | 'counters'>`.
 */
export type World = {
  // Reads of the configuration, strongly consistent, so that a change in the dashboard takes effect with the next request.
  readonly configuration: Configuration;
  /** The same read as `configuration.findAction`; those of messages that are handled together share a call. */
  readonly findAction: Configuration['findAction'];
  readonly subscriptions: Subscriptions;

  // Requests of widgets, backends and assistants.
  readonly tokens: SessionTokens;
  readonly counters: Counters;
  readonly conversations: Conversations;
  readonly escalate: Escalate;
  readonly publish: PublishEvent;

  // Outbound requests.
  /** Decrypts the signing secret that is stored, sealed, with an Action. */
  readonly openSigningSecret: (action: Action) => Promise<string>;
  readonly send: Send;
  readonly deliveryLog: DeliveryLog;
  readonly queue: DeliveriesQueue;
  readonly failurePeriods: FailurePeriods;
  readonly publishFailing: (event: EndpointFailing) => Promise<void>;

  // The dashboard and the operator.
  readonly store: ConfigurationStore;
  readonly members: Members;
  readonly logins: Logins;
  /** Returns how many requests the hourly limit of an assistant counted, in this clock hour and in the last 24 hours. */
  readonly requestCounts: (siteId: string) => Promise<{ readonly this_hour: number; readonly last_24_hours: number }>;
  /** Sends the request of the Test button from the action-test function: the dashboard API makes no outbound requests. */
  readonly testAction: (orgId: string, actionId: string, change?: object) => Promise<TestResult>;
  /** Encrypts a signing secret, so that only its Action can use it. */
  readonly sealSigningSecret: (secret: string, actionId: string) => Promise<string>;
  /** Reports progress before each write. It may throw to end the work. */
  readonly step: (text: string) => Promise<void>;
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
};

export type Context<Member extends keyof World> = Pick<World, Member>;

export type ManagementContext = Context<'store' | 'now' | 'randomBytes'> & { readonly author: Author };

/** Who makes a change. It is stored with its audit record in one transaction. One `creationKey` creates only once. */
export type Author =
  /** `arn`: of the operator's identity in AWS. */
  | { readonly kind: 'operator'; readonly arn: string }
  | { readonly kind: 'admin'; readonly membership: Membership; readonly creationKey?: string };

// Configuration

/** Reads of assistants and Actions (adapters/dynamodb). */
export type Configuration = {
  readonly findAssistant: (siteId: string) => Promise<Assistant | undefined>;
  readonly findAction: (orgId: string, actionId: string) => Promise<Action | undefined>;
  readonly findForm: (siteId: string, slug: string) => Promise<FormAction | undefined>;
  readonly findTool: (siteId: string, slug: string) => Promise<AiAction | undefined>;
  /** Reads the assistant's enabled Form Actions, in the order of their slugs; the widget shows them in the order of `formsInOrder`. */
  readonly formsOf: (siteId: string) => Promise<Offers<FormAction>>;
  /** Reads the assistant's enabled AI-decided Actions. None for a site that does not exist. */
  readonly toolsOf: (siteId: string) => Promise<Offers<AiAction>>;
  readonly anyDomain: (entries: readonly string[]) => Promise<boolean>;
};

/**
 * What is stored and cannot be read, because newer code wrote it or because its item is malformed. It does not affect the rest of its list.
 * The message of the cause names the table and the key, but no stored value.
 */
type Unreadable<Ids = object> = { readonly unreadable: readonly (Readonly<Ids> & { readonly cause: Error })[] };
/** The id of an Action; among the Actions that an assistant offers, the key of its slug. */
type UnreadableActions = Unreadable<{ action_id: string; site_id?: string }>;

/** The Actions of a kind that an assistant offers. */
export type Offers<Kind extends FormAction | AiAction> = UnreadableActions & {
  readonly actions: readonly Offered<Kind>[];
};

export type ActionList = UnreadableActions & { readonly actions: readonly Action[] };

/** Assistants of an organization. One that cannot be read admits no request. */
export type AssistantList = Unreadable<{ site_id: string }> & { readonly assistants: readonly Assistant[] };

export type OrganizationList = Unreadable & { readonly organizations: readonly Organization[] };

/** Memberships of an organization or of a login. */
export type MemberList = Unreadable<{ org_id: string }> & { readonly memberships: readonly Membership[] };

/** An Event Action and the fields that decide whether it receives an event. */
export type Subscriber = Pick<EventAction, 'action_id' | 'site_id' | 'enabled'> & {
  readonly events: readonly string[];
};

/** The Event Actions of an organization. Of an unreadable one, not even the subscription can be read. */
export type SubscriberList = UnreadableActions & {
  /** False when there is no such organization, or when it is being deleted. */
  readonly exists: boolean;
  readonly subscribers: readonly Subscriber[];
};

/** Reads by which an event is routed (adapters/dynamodb). */
export type Subscriptions = {
  /** Reads the Event Actions of the organization, at most 50, as they are now. */
  readonly subscribersOf: (orgId: string) => Promise<SubscriberList>;
  /** Whether the organization has this assistant. Called only for one without an Event Action, because `subscribersOf` shows the others. */
  readonly hasAssistant: (orgId: string, siteId: string) => Promise<boolean>;
};

// Requests

/** Signs and verifies session tokens (adapters/secrets). */
export type SessionTokens = {
  readonly signToken: (claims: SessionClaims) => Promise<string>;
  /** Returns the claims of a token whose signature is valid and which has not expired, otherwise why it is refused. */
  readonly verifyToken: (token: string) => Promise<SessionClaims | TokenProblem>;
  /** Verifies a token as verifyToken does, but also accepts one that expired during the turn of a conversation. */
  readonly verifyTokenOfTurn: (token: string) => Promise<SessionClaims | TokenProblem>;
  /** Returns the site that a token names, without verifying the token. Use it only to find the assistant and its CORS setting. */
  readonly siteOfToken: (token: string) => string | undefined;
};

/** Rate limits, exact for concurrent requests. A refused hit does not count. */
export type Counters = {
  /** Allows at most `limit` hits in any 60 seconds. */
  readonly hitPerMinute: Hit;
  /** Allows at most `limit` hits per clock hour and key, such as a site id (spec "Rate Limit"). */
  readonly hitPerHour: Hit;
};
/** Counts one hit of a key, unless it is above the limit. */
export type Hit = (key: string, limit: number, now: Date) => Promise<LimitDecision>;
/** `retryAfterSeconds` are whole seconds. */
export type LimitDecision =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number };

/** Conversations, the calls of tools in them, and submissions with a key (adapters/dynamodb). */
export type Conversations = {
  readonly findConversation: (siteId: string, conversationId: string) => Promise<Conversation | undefined>;
  readonly saveConversation: (conversation: Conversation) => Promise<void>;
  /** Counts a call of this Action in this conversation, unless its key was used before or `limit` calls were made. Exact. */
  readonly countCall: (call: CountedCall, limit: number) => Promise<CallAdmission>;
  readonly recordCall: (record: ToolCallRecord) => Promise<void>;
  readonly acceptedSubmission: (key: SubmissionKey) => Promise<SubmissionIds | undefined>;
  /** Claims the key for a submission, or for the id that an earlier, failed submission with the same key had. */
  readonly claimSubmission: (key: SubmissionKey, ids: SubmissionIds, now: Date) => Promise<SubmissionClaim>;
  readonly settleSubmission: (key: SubmissionKey, accepted: boolean) => Promise<void>;
};

/** `argumentsHash` tells two calls with the same idempotency key apart. Without a key, no other call has the same. */
export type CountedCall = {
  readonly siteId: string;
  readonly conversationId: string;
  readonly actionId: string;
  readonly idempotencyKey: string | undefined;
  readonly argumentsHash: string;
};
export type CallAdmission = 'counted' | 'limit_reached' | 'already_called' | 'other_arguments';

/** The record of a call that is stored with the conversation (spec "AI-decided response handling"). */
export type ToolCallRecord = Pick<AttemptResult, 'status' | 'latency_ms'> & {
  readonly site_id: string;
  readonly conversation_id: string;
  readonly call_id: string;
  readonly action_id: string;
  readonly action_name: string;
  /** ISO 8601, UTC. */
  readonly called_at: string;
  readonly error: string | null;
};

/** The state of a submission with a `client_key`. With `other_form`, the key belongs to a submission of another form. */
export type SubmissionClaim =
  | { readonly kind: 'claimed' | 'accepted'; readonly submissionId: string }
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'other_form' };

/** Identifies a submission that may be repeated: `clientKey` is what the caller chose for it. */
export type SubmissionKey = { readonly siteId: string; readonly conversationId: string; readonly clientKey: string };
/** A submission and its form. A key is of one form. */
export type SubmissionIds = { readonly formId: string; readonly submissionId: string };

/** Body of a Form request to the endpoint. The escalation channels receive the same (spec "Form body"). */
export type FormBody = {
  readonly values: Record<string, string | number | RawNumber | boolean | readonly string[]>;
  readonly conversation_id: string;
  readonly submission_id: string;
};
export type Submission = { readonly assistant: Assistant; readonly form: FormAction; readonly body: FormBody };

/** Delivers a submission to the assistant's escalation channels, and reports those that fail. `none` means that it has no channel. */
export type Escalate = (submission: Submission, invocation: Invocation) => Promise<'accepted' | 'failed' | 'none'>;

/** Puts a catalog event on the bus. Returns the id that the bus assigned to it, which is also the id of its envelopes. */
export type PublishEvent = (event: CatalogEvent) => Promise<string>;

// Outbound requests

/** A signed request. The bytes of its body are sent exactly as they were signed. */
export type OutboundRequest = {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** What is removed from every text of the endpoint before anything keeps or shows it: the signature of the request, and its secret. */
  readonly withheldTexts: readonly string[];
};

/** How a request is sent. Nothing of it reaches the endpoint. */
export type SendPolicy = {
  /** Requests with one key may share a connection, others do not. Event deliveries have Action and version as key. */
  readonly connectionKey?: string;
  /** Bytes of the response body that the caller needs, at most 1 MB. The rest need not be read. @default 1 MB */
  readonly keepBytes?: number;
  /** The organization, or `usage#<organization>`, against whose limit of requests in flight the request counts. Absent: it is not counted. */
  readonly inFlightOf?: string;
  /** Quota of the organization in a UTC day, against which the request counts. Absent: it is not counted. */
  readonly quota?: { readonly orgId: string; readonly perDay: number };
};

/**
 * The answer of an endpoint to one attempt, from the socket to the record, which keeps its AttemptResult. Every behaviour of a customer's server is an answer; none causes an exception. `error` of a
 * success is null also when its body was cut at `keepBytes`.
 */
export type EndpointAnswer = AttemptResult & {
  /** The first `keepBytes` of the response body as text, without what the request withholds; null when none arrived, or when it is no text. */
  readonly text: string | null;
  /** What went wrong in the service, with `internal_error`. It is for the operator, and is not recorded. */
  readonly cause?: unknown;
};

/**
 * Makes one attempt. All outbound requests of the service use it (adapters/outbound).
 * @param ended fires when the attempt's invocation ends. @throws InvocationEnded once it has fired, and nothing else
 */
export type MakeAttempt = (
  request: OutboundRequest,
  policy?: Pick<SendPolicy, 'connectionKey' | 'keepBytes'>,
  ended?: AbortSignal,
) => Promise<EndpointAnswer>;

/** Makes one attempt within the limits of its organization (delivery/outbound-request.ts). @throws InvocationEnded once the invocation has ended, and nothing else */
export type Send = (request: OutboundRequest, policy: SendPolicy, invocation: Invocation) => Promise<EndpointAnswer>;

/** Identifies the record of an attempt. All parts come from the message, so a message that is delivered again finds its record. */
export type AttemptKey = {
  readonly action_id: string;
  /** Time by which the log is sorted: the event's time, or the start of a single attempt. ISO 8601, UTC. */
  readonly at: string;
  readonly reference: string;
  readonly attempt: number;
  /** Id of the replay. A replay has its own attempts, counted separately from those of the first delivery. */
  readonly replay?: string;
};

/** What decides whether another attempt follows an ended one. */
export type AttemptOutcome = Pick<AttemptResult, 'success' | 'status' | 'error'>;

/** What is known of an attempt before its request is sent. */
export type AttemptStart = AttemptKey &
  Pick<DeliveryRecord, 'trigger' | 'trigger_ref' | 'payload' | 'started_at'> & {
    /** Whether a queue message asks for this attempt. It has the payload until the record has ended, and may ask again. */
    readonly hasMessage: boolean;
  };

export type Claim =
  /** The record is written. The caller sends the request. */
  | { readonly kind: 'claimed' }
  /** An earlier claim was cut off. The caller sends the request again; the record counts both sends. */
  | { readonly kind: 'resumed' }
  | StandingAttempt;

/** An attempt that must not be made now, whichever message asks for it. */
export type StandingAttempt =
  /** Another invocation may still be making the attempt. The caller waits for its end, after `secondsLeft` at the latest. */
  | { readonly kind: 'in_progress'; readonly secondsLeft: number }
  /** The attempt has ended. The caller does only the remaining work. */
  | { readonly kind: 'finished'; readonly result: AttemptOutcome };

/** The records of attempts (spec "Delivery log record", adapters/dynamodb). */
export type DeliveryLog = {
  readonly claim: (start: AttemptStart) => Promise<Claim>;
  /** Completes a record. Writes the whole record when the claim of a request without a queue message could not be written. */
  readonly complete: (start: AttemptStart, result: AttemptResult) => Promise<void>;
  /**
   * Writes the record of an attempt that failed before a request was sent. The record of one that a crash cut off gets this error. An attempt
   * that has ended, or may still be made, keeps its record and is returned.
   */
  readonly recordUnsent: (start: AttemptStart, error: DeliveryError) => Promise<StandingAttempt | undefined>;
  /** Does the same without the payload, for a deleted Action. It makes no record: after the log was erased, nothing would erase it. */
  readonly abandon: (start: AttemptStart, error: DeliveryError) => Promise<StandingAttempt | undefined>;
};

/** The queue of attempts of Event deliveries (adapters/sqs). */
export type DeliveriesQueue = {
  /** Sends all messages, except too large ones, which it returns; or throws: the claims permit a repetition. */
  readonly send: (messages: readonly DeliveryMessage[]) => Promise<{ readonly tooLarge: readonly DeliveryMessage[] }>;
  /** Sends a message that SQS delivers after a delay of at most 900 seconds. @throws Error when it is too large or could not be sent */
  readonly sendLater: (message: DeliveryMessage, delaySeconds: number) => Promise<void>;
};

/** The time since which deliveries to an endpoint fail, and that of its latest signal. In Unix seconds. */
export type FailurePeriod = { readonly since: number; readonly signalled_at: number | null };

/** Since when the deliveries of each Action fail, and when the operator was told (delivery/failing-endpoint.ts). */
export type FailurePeriods = {
  /** Records a delivery that finally failed, in one write, or in two when the period before has ended. Returns the failure period. */
  readonly recordFailure: (actionId: string, now: Date) => Promise<FailurePeriod>;
  /** Looks at a hundred records of the delivery log at most, spread over the time from `since` (Unix seconds) on, for a success. */
  readonly hasSucceeded: (actionId: string, since: number, now: Date) => Promise<boolean>;
  /** Replaces the period that was read. Returns true for exactly one of several concurrent callers. */
  readonly replacePeriod: (actionId: string, seen: FailurePeriod, next: FailurePeriod) => Promise<boolean>;
};

// The dashboard and the operator

type OrganizationChange = Partial<Omit<Organization, 'org_id'>>;

/** Stores organizations, assistants and Actions. Every read is strongly consistent. A change is recorded (organizations/changes.ts). */
export type ConfigurationStore = {
  readonly createOrganization: (organization: Organization) => Promise<void>;
  /** Writes only the named fields, so that a concurrent change of another field is kept. */
  readonly changeOrganization: (orgId: string, change: OrganizationChange, author: Author) => Promise<void>;
  readonly findOrganization: (orgId: string) => Promise<Organization | undefined>;
  readonly listOrganizations: () => AsyncIterable<OrganizationList>;

  /**
   * Creates an assistant when the organization has fewer than `limit`. Returns `exists` when this write, or another one with the author's
   * idempotency key, has already been made, and `organization_refused` when the organization has the limit, is deleted, or its restrictions
   * differ from the assistant's.
   */
  readonly createAssistant: (
    assistant: Assistant,
    limit: number,
    author: Author,
  ) => Promise<'created' | 'exists' | 'organization_refused'>;
  /** Replaces `previous` by `next`. Returns false when `previous` is no longer the stored version. */
  readonly replaceAssistant: (previous: Assistant, next: Assistant, author: Author) => Promise<boolean>;
  readonly findAssistant: Configuration['findAssistant'];
  readonly listAssistants: (orgId: string) => Promise<AssistantList>;
  /** Reads one page of an organization's assistants, by site id. @param after the `next` of the page before */
  readonly assistantsPage: (
    orgId: string,
    after: string | undefined,
  ) => Promise<AssistantList & { readonly next: string | undefined }>;

  /**
   * Creates an Action. Returns `exists` when this write, or another one with the author's idempotency key, has already been made,
   * `no_assistant` when its assistant is gone or being deleted, `organization_refused` as for an assistant, and `slug_taken`: a slug is unique per assistant and trigger; an Event Action reserves none.
   */
  readonly createAction: (
    action: Action,
    author: Author,
  ) => Promise<'created' | 'exists' | 'no_assistant' | 'organization_refused' | 'slug_taken'>;
  /** Returns the id of what the author's idempotency key has created in the last 24 hours. */
  readonly createdBy: (author: Author, now: Date) => Promise<string | undefined>;
  readonly replaceAction: (
    previous: Action,
    next: Action,
    author: Author,
  ) => Promise<'replaced' | 'stale' | 'slug_taken'>;
  readonly deleteAction: (action: Action, author: Author) => Promise<boolean>;
  readonly findAction: Configuration['findAction'];
  readonly findActionById: (actionId: string) => Promise<Action | undefined>;
  /** Returns the organization of an Action or an assistant, and an organization's own id unless it is being deleted, also where they cannot be read as a whole. */
  readonly ownerOf: (id: string) => Promise<string | undefined>;
  readonly listActions: (orgId: string) => Promise<ActionList>;
  /** Writes a record that belongs to no change. */
  readonly record: (record: AuditRecord) => Promise<void>;
  /** Reads one page of the audit trail, the newest record first. @param after the `next` of the page before */
  readonly auditPage: (orgId: string, after?: string) => Promise<AuditPage>;
};

type AuditPage = Unreadable<{ org_id: string }> & {
  readonly records: readonly AuditRecord[];
  readonly next: string | undefined;
};

/** The storage of memberships. Every read is strongly consistent, so that a removed member is refused with the next request. */
export type Members = {
  readonly findMembership: (orgId: string, sub: string) => Promise<Membership | undefined>;
  readonly membershipsOf: (sub: string) => Promise<MemberList>;
  readonly list: (orgId: string) => Promise<MemberList>;
  /** Returns the `sub` of each membership of an organization, also of one that cannot be read. */
  readonly subsOf: (orgId: string) => Promise<readonly string[]>;
  /** @param record what the audit trail keeps of the change */
  readonly save: (membership: Membership, record?: AuditRecord) => Promise<void>;
  /** @param record absent when the trail is erased too */
  readonly remove: (orgId: string, sub: string, record?: AuditRecord) => Promise<void>;
};

export type Login = {
  readonly sub: string;
  readonly username: string;
  readonly email: string | undefined;
  readonly enabled: boolean;
  /** Whether its user has proved access to the mailbox of the address. */
  readonly isVerified: boolean;
  /** The identity providers whose people use it. Each of them may have written its address. */
  readonly providers: readonly string[];
};

export type Logins = {
  /** Finds all logins with an email address, in whatever case it is written. */
  readonly withEmail: (email: string) => Promise<readonly Login[]>;
  readonly withSub: (sub: string) => Promise<Login | undefined>;
  /** Creates a login and sends an invitation. `isInvited` is false when the user pool has one that `withEmail` has not found. */
  readonly create: (email: string) => Promise<{ readonly login: Login; readonly isInvited: boolean }>;
};
