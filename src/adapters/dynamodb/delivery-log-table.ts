import { randomUUID } from 'node:crypto';
import { isUnsent } from '../../contract/delivery-record.ts';
import { CUT_OFF_SECONDS } from '../../contract/queues.ts';
import type { AttemptStart, Claim, DeliveryLog, StandingAttempt } from '../../domain/context.ts';
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
  readonly retentionDays: number;
  readonly now: Clock;
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

  const startAttributes = (start: AttemptStart) => ({
    ...keyOf(start),
    record: {
      trigger: start.trigger,
      trigger_ref: start.trigger_ref,
      started_at: start.started_at,
      trace_id: options.traceId?.(),
    },
    expires_at: unixSeconds(options.now()) + options.retentionDays * DAY_SECONDS,
  });

  /** Changes the record of an attempt that has not ended. Returns false when there is no such record. @param when further conditions */
  const changeStarted = (start: AttemptStart, set: Readonly<Record<string, unknown>>, when = {}): Promise<boolean> =>
    write({ key: keyOf(start), changes: set, expectedValues: { record_state: 'started', ...when } });

  /** Reads the record that refused a write. @throws Error when it is gone: the log was erased between the write and the read */
  const existingRecord = async (start: AttemptStart): Promise<StoredRecord> => {
    const item = await itemOf(keyOf(start));
    if (item === undefined) throw new ServiceError('The record of an attempt was erased while it was read');
    return readRecord(table, item);
  };

  /** Returns an attempt that has ended or may still be made; undefined when its latest claim was cut off. */
  const standingOf = (record: StoredRecord): StandingAttempt | undefined => {
    if (record.record_state !== 'started') {
      const { record_state, status = null, error = null } = record;
      return { kind: 'finished', result: { success: record_state === 'succeeded', status, error } };
    }
    const secondsLeft = (record.claimed_at ?? 0) + CUT_OFF_SECONDS - unixSeconds(options.now());
    // A claim that is in the future, as after a clock was set back, would give more.
    return secondsLeft > 0 ? { kind: 'in_progress', secondsLeft: Math.min(secondsLeft, CUT_OFF_SECONDS) } : undefined;
  };

  /** Changes the record of an attempt that was cut off. Returns false when another invocation has changed it since it was read. */
  const changeCutOff = (start: AttemptStart, { claim_id }: StoredRecord, set: Readonly<Record<string, unknown>>) =>
    changeStarted(start, set, { claim_id });

  /** Ends an attempt that was cut off. Returns one that has ended, or may still be made. */
  const endCutOff = async (start: AttemptStart, existing: StoredRecord, outcome: Readonly<Record<string, unknown>>) =>
    standingOf(existing) ?? ((await changeCutOff(start, existing, outcome)) ? undefined : RESUMED_ELSEWHERE);

  return {
    claim: async (start): Promise<Claim> => {
      const ownClaim: OwnClaim = { claim_id: randomUUID(), claimed_at: unixSeconds(options.now()) };
      // The write that completes the record has the payload. DynamoDB bills both writes by size, so this one leaves out the payload
      // that the queue message still has.
      const payload = storedPayload(start.hasMessage ? null : start.payload);
      const claimedRecord = { ...startAttributes(start), ...payload, record_state: 'started', sends: 1, ...ownClaim };
      // Only a repetition of this write can have refused that of a request without a message, whose function may not read the log.
      if ((await write({ insert: claimedRecord })) || !start.hasMessage) return { kind: 'claimed' };
      const storedRecord = await existingRecord(start);
      // The client repeats a write whose answer was lost, and the first one refuses the second.
      if (storedRecord.claim_id === ownClaim.claim_id) return { kind: 'claimed' };
      const standingAttempt = standingOf(storedRecord);
      if (standingAttempt !== undefined) return standingAttempt;
      const isResumed = await changeCutOff(start, storedRecord, { sends: storedRecord.sends + 1, ...ownClaim });
      if (isResumed || (await existingRecord(start)).claim_id === ownClaim.claim_id) return { kind: 'resumed' };
      return RESUMED_ELSEWHERE;
    },

    complete: async (start, { success, ...response }) => {
      const outcome = {
        ...storedPayload(start.payload),
        record_state: success ? 'succeeded' : 'failed',
        ...response,
      };
      const unsent = response.error !== null && isUnsent(response.error.code) ? { sends: 0 } : undefined;
      // `sends` becomes 0 only if it is 1: a record that counts more has an earlier request, which a crash cut off and which may have arrived.
      if (unsent && (await changeStarted(start, { ...outcome, ...unsent }, { sends: 1 }))) return;
      // The attempt of a message is sent only with its claim. If the record is gone, it was erased.
      if (!(await changeStarted(start, outcome)) && !start.hasMessage)
        await write({ insert: { ...startAttributes(start), ...outcome, sends: 1, ...unsent } });
    },

    recordUnsent: async (start, error): Promise<StandingAttempt | undefined> => {
      const outcome = { ...storedPayload(start.payload), record_state: 'failed', error };
      if ((await write({ insert: { ...startAttributes(start), ...outcome, sends: 0 } })) || !start.hasMessage)
        return undefined;
      return endCutOff(start, await existingRecord(start), outcome);
    },

    abandon: async (start, error): Promise<StandingAttempt | undefined> => {
      const item = await itemOf(keyOf(start));
      return item && endCutOff(start, readRecord(table, item), { record_state: 'failed', error });
    },
  };
}

const RESUMED_ELSEWHERE: StandingAttempt = { kind: 'in_progress', secondsLeft: CUT_OFF_SECONDS };
