import { randomUUID } from 'node:crypto';
import { isUnsent } from '../../contract/delivery-record.ts';
import { CUT_OFF_SECONDS } from '../../contract/queues.ts';
import type { AttemptStart, Claim, DeliveryLog, FinishedAttempt } from '../../domain/context.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { type Clock, unixSeconds } from '../../domain/sources.ts';
import { batchedReads, batchedWrites } from './batch-calls.ts';
import type { DynamoDb } from './client.ts';
import { keyOf, readRecord, type StoredRecord, storedPayload } from './delivery-records.ts';

const DAY_SECONDS = 24 * 3600;

/** A claim with a random id, by which it is recognized as its own when a write is repeated. `claimed_at` is in Unix seconds. */
type OwnClaim = Required<Pick<StoredRecord, 'claim_id' | 'claimed_at'>>;

/** How long records are kept, and whose trace they name. */
export type DeliveryLogOptions = {
  /** Days for which a record is kept. */
  readonly retentionDays: number;
  readonly now: Clock;
  /** Returns the id of the trace of the current invocation. @default none */
  readonly traceId?: () => string | undefined;
};

/**
 * Creates the delivery log (spec "Delivery log record"). The writes of one turn of the event loop share calls, and so do the reads of the
 * records that refused a write (docs/decisions/0003). What each method promises is said at `DeliveryLog`.
 */
export function deliveryLog(
  client: Pick<DynamoDb, 'batchGet' | 'writeEach'>,
  table: string,
  options: DeliveryLogOptions,
): DeliveryLog {
  const write = batchedWrites(client, table);
  const itemOf = batchedReads(client, table);

  /** Returns the attributes that a record has from its beginning. */
  const started = (start: AttemptStart) => ({
    ...keyOf(start),
    record: {
      trigger: start.trigger,
      trigger_ref: start.trigger_ref,
      started_at: start.started_at,
      trace_id: options.traceId?.(),
    },
    message_id: start.message_id ?? undefined,
    expires_at: unixSeconds(options.now()) + options.retentionDays * DAY_SECONDS,
  });

  /** Writes the outcome of an attempt that has not ended. Returns false when there is no such record. @param when further conditions */
  const end = (start: AttemptStart, set: Readonly<Record<string, unknown>>, when = {}): Promise<boolean> =>
    write({ key: keyOf(start), set, when: { record_state: 'started', ...when } });

  /** Reads the record that refused a write. @throws Error when it is gone: the log was erased between the write and the read */
  const existingRecord = async (start: AttemptStart): Promise<StoredRecord> => {
    const item = await itemOf(keyOf(start));
    if (item === undefined) throw new ServiceError('The record of an attempt was erased while it was read');
    return readRecord(table, item);
  };

  /** Claims an attempt whose latest claim was cut off. Only one of several invocations succeeds. */
  const resume = async (start: AttemptStart, seen: StoredRecord, own: OwnClaim): Promise<Claim> => {
    const isMade = await write({
      key: keyOf(start),
      set: { sends: seen.sends + 1, ...own },
      when: { record_state: 'started', claim_id: seen.claim_id },
    });
    // The client repeats a write whose answer was lost, and the first one refuses the second.
    if (isMade || (await existingRecord(start)).claim_id === own.claim_id) return { kind: 'resumed' };
    return { kind: 'in_progress', secondsLeft: CUT_OFF_SECONDS };
  };

  return {
    claim: async (start): Promise<Claim> => {
      const own: OwnClaim = { claim_id: randomUUID(), claimed_at: unixSeconds(options.now()) };
      // The write that completes the record has the payload. DynamoDB bills both writes by size, so this one leaves out the payload
      // that the queue message still has.
      const payload = storedPayload(start.message_id === null ? start.payload : null);
      const claimed = { ...started(start), ...payload, record_state: 'started', sends: 1, ...own };
      if (await write({ insert: claimed })) return { kind: 'claimed' };
      // Only a repetition of this write can have refused it: nothing else claims a request without a message. Its caller sends it in any case.
      if (start.message_id === null) return { kind: 'taken' };
      const existing = await existingRecord(start);
      if (existing.claim_id === own.claim_id) return { kind: 'claimed' };
      if (existing.message_id !== start.message_id) return { kind: 'taken' };
      if (existing.record_state !== 'started') return finished(existing);
      const secondsLeft = (existing.claimed_at ?? 0) + CUT_OFF_SECONDS - own.claimed_at;
      // A claim that is in the future, as after a clock was set back, would give more.
      if (secondsLeft > 0) return { kind: 'in_progress', secondsLeft: Math.min(secondsLeft, CUT_OFF_SECONDS) };
      return resume(start, existing, own);
    },

    complete: async (start, { success, ...response }) => {
      const outcome = {
        ...storedPayload(start.payload),
        record_state: success ? 'succeeded' : 'failed',
        ...response,
      };
      const unsent = response.error !== null && isUnsent(response.error.code) ? { sends: 0 } : undefined;
      // `sends` becomes 0 only if it is 1: a record that counts more has an earlier request, which a crash cut off and which may have arrived.
      if (unsent && (await end(start, { ...outcome, ...unsent }, { sends: 1 }))) return;
      // The attempt of a message is sent only with its claim. If the record is gone, it was erased.
      if (!(await end(start, outcome)) && start.message_id === null)
        await write({ insert: { ...started(start), ...outcome, sends: 1, ...unsent } });
    },

    abandon: async (start, error) => {
      await end(start, { record_state: 'failed', error }, { message_id: start.message_id });
    },

    recordUnsent: async (start, error): Promise<FinishedAttempt | undefined> => {
      const outcome = { ...storedPayload(start.payload), record_state: 'failed', error };
      if (await write({ insert: { ...started(start), ...outcome, sends: 0 } })) return undefined;
      if (start.message_id === null) return undefined;
      const existing = await existingRecord(start);
      if (existing.message_id !== start.message_id) return undefined;
      if (existing.record_state !== 'started') return finished(existing);
      await end(start, outcome);
      return undefined;
    },
  };
}

function finished(existing: StoredRecord): FinishedAttempt {
  return {
    kind: 'finished',
    result: {
      success: existing.record_state === 'succeeded',
      status: existing.status ?? null,
      error: existing.error ?? null,
    },
  };
}
