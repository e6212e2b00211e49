import type { Action } from '../../src/contract/actions.ts';
import type { FailureCode } from '../../src/contract/delivery-record.ts';
import type { DeliveryMessage } from '../../src/contract/queues.ts';
import type {
  AttemptKey,
  AttemptResult,
  AttemptStart,
  Claim,
  DeliveryLog,
  FinishedAttempt,
  LogWriteFailed,
} from '../../src/domain/delivery/delivery-log.ts';
import {
  type MakeAttempt,
  notSent,
  type OutboundOutcome,
  type OutboundRequest,
} from '../../src/domain/delivery/outbound-request.ts';
import { ORG_ID, SITE_ID } from './configuration.ts';
import { FrozenClock } from './sources.ts';

/** Returns the outcome of a response with this status: 2xx is a success, 3xx a redirect, and any other a failure. */
export function answered(status: number, body = 'ok'): OutboundOutcome {
  const success = status >= 200 && status < 300;
  const code: FailureCode = status >= 300 && status < 400 ? 'redirect' : 'http_status';
  return {
    status,
    body: Buffer.from(body),
    bodyComplete: true,
    latencyMs: 12.4,
    failure: success ? null : { code, message: `HTTP ${status}` },
    note: null,
  };
}

/** Returns the outcome of an attempt without a response. */
export const unanswered = (code: FailureCode): OutboundOutcome => ({
  ...notSent({ code, message: code }),
  latencyMs: 5000,
});

/** An outbound pipeline that sends nothing. It records requests and returns the outcomes in order, then the last one again. */
export class FakeOutbound {
  readonly requests: OutboundRequest[] = [];
  outcomes: OutboundOutcome[] = [answered(200)];

  readonly makeAttempt: MakeAttempt = async (request) => {
    const outcome = this.outcomes[Math.min(this.requests.length, this.outcomes.length - 1)] ?? answered(200);
    this.requests.push(request);
    return outcome;
  };
}

/** Returns the beginning of an attempt that a queue message asks for. */
export function anAttempt(changes: Partial<AttemptStart> = {}): AttemptStart {
  return {
    action_id: 'act_event',
    at: '2026-03-04T05:06:00Z',
    reference: 'event-1',
    attempt: 1,
    trigger: 'event',
    trigger_ref: 'conversation.started',
    payload: '{"id":"event-1"}',
    started_at: '2026-03-04T05:06:07.250Z',
    message_id: 'message-1',
    ...changes,
  };
}

type MemoryRecord = {
  readonly start: AttemptStart;
  result: AttemptResult | null;
  sends: number;
};

const keyText = (key: AttemptKey) => `${key.action_id} ${key.at} ${key.reference} ${key.attempt} ${key.replay}`;

/** An in-memory delivery log. The calls in `failing` reject as with a storage that cannot be reached. */
export class InMemoryDeliveryLog implements DeliveryLog {
  readonly records = new Map<string, MemoryRecord>();
  readonly failing = new Set<'claim' | 'complete' | 'recordUnsent'>();

  readonly claim = async (start: AttemptStart): Promise<Claim> => {
    if (this.failing.has('claim')) throw new Error('The log is away');
    const existing = this.records.get(keyText(start));
    if (existing === undefined) {
      this.records.set(keyText(start), { start, result: null, sends: 1 });
      return { kind: 'claimed' };
    }
    if (start.message_id === null || existing.start.message_id !== start.message_id) return { kind: 'taken' };
    if (existing.result !== null) return { kind: 'finished', result: existing.result };
    existing.sends += 1;
    return { kind: 'resumed' };
  };

  readonly complete = async (key: AttemptKey, result: AttemptResult): Promise<void> => {
    if (this.failing.has('complete')) throw new Error('The log is away');
    const record = this.records.get(keyText(key));
    if (record !== undefined) record.result = result;
  };

  readonly recordUnsent = async (
    start: AttemptStart,
    error: NonNullable<AttemptResult['error']>,
  ): Promise<FinishedAttempt | undefined> => {
    if (this.failing.has('recordUnsent')) throw new Error('The log is away');
    const result = { status: null, response_excerpt: null, latency_ms: null, success: false, error };
    const existing = this.records.get(keyText(start));
    if (existing === undefined) {
      this.records.set(keyText(start), { start, result, sends: 0 });
    } else if (start.message_id !== null && existing.start.message_id === start.message_id) {
      if (existing.result !== null) return { kind: 'finished', result: existing.result };
      existing.result = result;
    }
    return undefined;
  };

  /** Returns the records in the order of their claims. */
  all(): MemoryRecord[] {
    return [...this.records.values()];
  }
}

/** Collects the records that could not be written. */
export class FakeLogWriteFailed {
  readonly calls: { readonly key: AttemptKey; readonly result: AttemptResult | null; readonly cause: unknown }[] = [];

  readonly report: LogWriteFailed = (key, result, cause) => {
    this.calls.push({ key, result, cause });
  };
}

/** Opens the signing secret of each Action as `whsec_<action id>`. */
export const openSigningSecret = async (action: Action): Promise<string> => `whsec_${action.action_id}`;

/** Returns the fakes behind an attempt, and the ports that lead to them. */
export function attemptFakes() {
  const clock = new FrozenClock();
  const outbound = new FakeOutbound();
  const log = new InMemoryDeliveryLog();
  const logWriteFailed = new FakeLogWriteFailed();
  return {
    clock,
    outbound,
    log,
    logWriteFailed,
    ports: {
      signingSecrets: { openSigningSecret },
      attempts: { log, logWriteFailed: logWriteFailed.report, makeAttempt: outbound.makeAttempt },
      now: clock.now,
    },
  };
}

/** The first attempt to deliver conversation.started to the Action `act_event`. */
export const DELIVERY = {
  version: 1,
  action_id: 'act_event',
  attempt: 1,
  envelope: {
    id: '6a7e8f90-0000-4000-8000-000000000001',
    event: 'conversation.started',
    timestamp: '2026-03-04T05:06:00Z',
    data: { conversation_id: 'c-1' },
    site_id: SITE_ID,
    org_id: ORG_ID,
  },
} as const satisfies DeliveryMessage;
