import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { truncateCharacters } from '../../contract/characters.ts';
import { FAILURE_CODES } from '../../contract/deliveries.ts';
import { CUT_OFF_SECONDS } from '../../contract/queues.ts';
import type {
  AttemptKey,
  AttemptStart,
  Claim,
  DeliveryLog,
  FinishedAttempt,
} from '../../domain/delivery/delivery-log.ts';
import type { EventAttempt, EventTime } from '../../domain/operations/event-attempts.ts';
import { type Clock, unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure, whenConditionHolds } from './conditions.ts';
import { logOf, logPartitions, partitionOf } from './log-partitions.ts';
import { itemReader } from './stored-item.ts';
import type { WritesTogether } from './writes-together.ts';

/** DynamoDB bills a write by whole units of the item's size. */
const WRITE_UNIT_BYTES = 1024;
/** About what a record has beside its payload: names, key, ids, times and a short answer. */
const OTHER_BYTES = 512;
/** DynamoDB's limit for an item is 400 KB. This value leaves space for the excerpt of the response. */
const PAYLOAD_MAX_BYTES = 360 * 1024;
/** How much is kept of a payload that is too large even when compressed. */
const CUT_CHARACTERS = 50_000;

/** Payload fields of an attempt in progress. Its queue message still has the payload. */
const NOT_YET = { payload_cut: false };

const DAY_SECONDS = 24 * 3600;

/** Time, reference, attempt and, of a replay, its id: the attributes of a record that only its key has. */
const SORT_KEY = /^(?<at>[^#]*)#(?<reference>.*)#(?<attempt>\d+)(?:#(?<replay>[^#]+))?$/;

const storedRecord = z.object({
  pk: z.string(),
  sk: z.string().regex(SORT_KEY),
  record: z.object({
    trigger: z.enum(['event', 'ai', 'form', 'usage']),
    trigger_ref: z.string(),
    started_at: z.string(),
    trace_id: z.string().optional(),
  }),
  payload: z.string().optional(),
  payload_gzip: z.instanceof(Uint8Array).optional(),
  payload_cut: z.boolean(),
  message_id: z.string().optional(),
  /** Id of the latest claim of the attempt, and its time in Unix seconds. */
  claim_id: z.string().optional(),
  claimed_at: z.number().optional(),
  record_state: z.enum(['started', 'succeeded', 'failed']),
  sends: z.number(),
  status: z.number().nullish(),
  response_excerpt: z.string().nullish(),
  latency_ms: z.number().nullish(),
  failure: z.object({ code: z.enum(FAILURE_CODES), message: z.string() }).nullish(),
  erased_at: z.string().optional(),
});
type StoredRecord = z.infer<typeof storedRecord>;
const readRecord = itemReader(storedRecord);
type OwnClaim = Required<Pick<StoredRecord, 'claim_id' | 'claimed_at'>>;
/** Reads the latest claim of an attempt. */
const readClaim = itemReader(z.object({ claim_id: z.string().optional() }));

const keyOf = (key: AttemptKey) => ({
  pk: partitionOf(key.action_id, key.reference),
  sk: [key.at, key.reference, key.attempt, ...(key.replay === undefined ? [] : [key.replay])].join('#'),
});

export type DeliveryLogOptions = {
  /** Days for which a record is kept. */
  readonly retentionDays: number;
  readonly now: Clock;
  /** Returns the id of the trace of the current invocation. @default none */
  readonly traceId?: () => string | undefined;
  /** Makes claims and completions in shared calls. @default each write in a separate call */
  readonly writes?: WritesTogether;
};

/** Creates the delivery log (spec "Delivery log record"). */
export function deliveryLog(client: DynamoDb, table: string, options: DeliveryLogOptions): DeliveryLog {
  const started = (start: AttemptStart) => {
    const trace_id = options.traceId?.();
    return {
      ...keyOf(start),
      record: {
        trigger: start.trigger,
        trigger_ref: start.trigger_ref,
        started_at: start.started_at,
        ...(trace_id === undefined ? {} : { trace_id }),
      },
      message_id: start.message_id ?? undefined,
      expires_at: unixSeconds(options.now()) + options.retentionDays * DAY_SECONDS,
    };
  };

  /** Writes a new record. Returns undefined when it was written, otherwise the existing record. @param isOwn as in conditionFailure */
  const putNew = async (
    Item: Record<string, unknown>,
    isOwn?: (existing: Record<string, unknown>) => boolean,
  ): Promise<StoredRecord | undefined> => {
    const blocking = await conditionFailure(
      client.put({
        TableName: table,
        Item,
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
      isOwn,
    );
    return blocking === undefined ? undefined : readRecord(table, blocking);
  };

  /** Completes the record of an attempt that is not completed. Returns false when there is no such record. */
  const end = async (start: AttemptStart, outcome: Readonly<Record<string, unknown>>): Promise<boolean> => {
    const key = keyOf(start);
    if (await options.writes?.({ key, set: outcome, when: { record_state: 'started' } })) return true;
    const set = Object.entries(outcome).filter(([, value]) => value !== undefined);
    return whenConditionHolds(
      client.update({
        TableName: table,
        Key: key,
        UpdateExpression: `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        ConditionExpression: '#record_state = :started',
        ExpressionAttributeNames: Object.fromEntries(set.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
          ':started': 'started',
        },
      }),
    );
  };

  /** Claims an attempt whose latest claim was cut off. Only one of several invocations succeeds. */
  const resume = async (start: AttemptStart, seen: StoredRecord, own: OwnClaim): Promise<Claim> => {
    const blocking = await conditionFailure(
      client.update({
        TableName: table,
        Key: keyOf(start),
        UpdateExpression: 'SET sends = sends + :one, claim_id = :claim, claimed_at = :now',
        ConditionExpression: 'record_state = :started AND claim_id = :seen',
        ExpressionAttributeValues: {
          ':one': 1,
          ':claim': own.claim_id,
          ':now': own.claimed_at,
          ':started': 'started',
          ':seen': seen.claim_id,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
      isOf(own),
    );
    return blocking === undefined ? { kind: 'resumed' } : { kind: 'in_progress', secondsLeft: CUT_OFF_SECONDS };
  };

  /** Returns whether an item has this claim, so that a repeated write recognizes what it has already written. */
  const isOf = (own: OwnClaim) => (existing: Record<string, unknown>) =>
    readClaim(table, existing).claim_id === own.claim_id;

  return {
    claim: async (start): Promise<Claim> => {
      const own: OwnClaim = { claim_id: randomUUID(), claimed_at: unixSeconds(options.now()) };
      // The write that completes the record has the payload. DynamoDB bills both writes by size, so this one leaves out the payload
      // that the queue message still has.
      const payload = start.message_id === null ? storedPayload(start.payload) : NOT_YET;
      const claim = { ...started(start), ...payload, record_state: 'started', sends: 1, ...own };
      const existing = (await options.writes?.({ insert: claim })) ? undefined : await putNew(claim, isOf(own));
      if (existing === undefined) return { kind: 'claimed' };
      if (!isOfMessage(existing, start)) return { kind: 'taken' };
      if (existing.record_state !== 'started') return finished(existing);
      const secondsLeft = (existing.claimed_at ?? 0) + CUT_OFF_SECONDS - own.claimed_at;
      if (secondsLeft > 0) return { kind: 'in_progress', secondsLeft: Math.min(secondsLeft, CUT_OFF_SECONDS) };
      return resume(start, existing, own);
    },

    complete: async (start, { success, error, ...response }) => {
      const outcome = {
        ...storedPayload(start.payload),
        record_state: success ? 'succeeded' : 'failed',
        ...response,
        failure: error,
      };
      // The attempt of a message is sent only with its claim. If the record is gone, it was erased.
      if (!(await end(start, outcome)) && start.message_id === null)
        await putNew({ ...started(start), ...outcome, sends: 1 });
    },

    recordUnsent: async (start, error): Promise<FinishedAttempt | undefined> => {
      const outcome = { ...storedPayload(start.payload), record_state: 'failed', failure: error };
      const existing = await putNew({ ...started(start), ...outcome, sends: 0 });
      if (existing === undefined || !isOfMessage(existing, start)) return undefined;
      if (existing.record_state !== 'started') return finished(existing);
      await end(start, outcome);
      return undefined;
    },
  };
}

function isOfMessage(existing: StoredRecord, start: AttemptStart): boolean {
  return existing.message_id !== undefined && existing.message_id === start.message_id;
}

function finished(existing: StoredRecord): FinishedAttempt {
  return {
    kind: 'finished',
    result: {
      success: existing.record_state === 'succeeded',
      status: existing.status ?? null,
      error: existing.failure ?? null,
    },
  };
}

/**
 * Records in one page of a query. A list merges the pages of all keys of a log, so small pages keep it from reading much more than it shows.
 */
const PAGE_RECORDS = 100;

/**
 * Reads the records of an Action: the newest event first, and the last attempt of an event first.
 * @param from ISO 8601; records of earlier events are not read
 */
export async function* deliveryRecords(
  client: DynamoDb,
  table: string,
  actionId: string,
  from?: string,
): AsyncGenerator<EventAttempt> {
  const logs = logPartitions(actionId).map((pk) => partitionRecords(client, table, pk, from));
  const heads = await Promise.all(logs.map(async (log) => ({ log, next: await log.next() })));
  for (;;) {
    let newest: { readonly head: (typeof heads)[number]; readonly record: StoredRecord } | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (newest === undefined || head.next.value.sk > newest.record.sk) newest = { head, record: head.next.value };
    }
    if (newest === undefined) return;
    yield eventAttempt(newest.record);
    newest.head.next = await newest.head.log.next();
  }
}

async function* partitionRecords(
  client: DynamoDb,
  table: string,
  pk: string,
  from: string | undefined,
): AsyncGenerator<StoredRecord, undefined> {
  const pages = client.queryPages({
    TableName: table,
    KeyConditionExpression: from === undefined ? 'pk = :pk' : 'pk = :pk AND sk >= :from',
    ExpressionAttributeValues: { ':pk': pk, ...(from === undefined ? {} : { ':from': from }) },
    ScanIndexForward: false,
    Limit: PAGE_RECORDS,
  });
  for await (const { Items } of pages) yield* Items.map((item) => readRecord(table, item));
}

/**
 * Reads the records of one event in an Action's log, in the order of the attempts. The log is sorted by the time of the event: with
 * the exact time, this reads only these records; with a window, it reads all records in the window.
 */
export async function eventAttempts(
  client: DynamoDb,
  table: string,
  actionId: string,
  eventId: string,
  when: EventTime,
): Promise<readonly EventAttempt[]> {
  const range = 'at' in when ? [`${when.at}#${eventId}#`, `${when.at}#${eventId}$`] : [when.from, when.to];
  const pages = client.queryPages({
    TableName: table,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': partitionOf(actionId, eventId),
      ':from': range[0],
      ':to': range[1],
    },
  });
  const attempts: EventAttempt[] = [];
  for await (const { Items } of pages) attempts.push(...Items.map((item) => eventAttempt(readRecord(table, item))));
  return attempts.filter(({ reference }) => reference === eventId);
}

/**
 * Removes payload and response from a record that has ended. It never changes again, so nothing restores them. A record that is not
 * ended counts as ended when it began before `endedBefore`.
 * @returns whether a record was changed
 */
export async function eraseContent(
  client: DynamoDb,
  table: string,
  record: EventAttempt,
  { now, endedBefore }: { readonly now: Date; readonly endedBefore: Date },
): Promise<boolean> {
  const { action_id, event_time: at, reference, attempt, replay } = record;
  return whenConditionHolds(
    client.update({
      TableName: table,
      Key: keyOf({ action_id, at, reference, attempt, ...(replay === null ? {} : { replay }) }),
      UpdateExpression: 'SET erased_at = :now, payload_cut = :no REMOVE payload, payload_gzip, response_excerpt',
      ConditionExpression: 'attribute_exists(pk) AND (record_state <> :started OR #record.#started_at < :before)',
      ExpressionAttributeNames: { '#record': 'record', '#started_at': 'started_at' },
      ExpressionAttributeValues: {
        ':now': now.toISOString(),
        ':no': false,
        ':started': 'started',
        ':before': endedBefore.toISOString(),
      },
    }),
  );
}

function eventAttempt(stored: StoredRecord): EventAttempt {
  const { at = '', reference = '', attempt, replay } = SORT_KEY.exec(stored.sk)?.groups ?? {};
  return {
    ...stored.record,
    action_id: logOf(stored.pk),
    reference,
    attempt: Number(attempt),
    event_time: at,
    replay: replay ?? null,
    state: stored.record_state,
    payload: stored.payload_gzip === undefined ? (stored.payload ?? null) : gunzipSync(stored.payload_gzip).toString(),
    payload_cut: stored.payload_cut,
    status: stored.status ?? null,
    response_excerpt: stored.response_excerpt ?? null,
    latency_ms: stored.latency_ms ?? null,
    success: stored.record_state === 'succeeded',
    error: stored.failure ?? null,
    sends: stored.sends,
    ...(stored.erased_at === undefined ? {} : { erased_at: stored.erased_at }),
  };
}

const writeUnits = (payloadBytes: number) => Math.ceil((OTHER_BYTES + payloadBytes) / WRITE_UNIT_BYTES);

/** Compresses a payload when that saves a write unit; otherwise it stays readable in the AWS console. */
function storedPayload(payload: string | null): {
  payload?: string;
  payload_gzip?: Uint8Array;
  payload_cut: boolean;
} {
  if (payload === null) return { payload_cut: false };
  const bytes = Buffer.byteLength(payload);
  if (writeUnits(bytes) === 1) return { payload, payload_cut: false };
  const compressed = gzipSync(payload);
  if (writeUnits(compressed.length) >= writeUnits(bytes) && bytes <= PAYLOAD_MAX_BYTES)
    return { payload, payload_cut: false };
  if (compressed.length <= PAYLOAD_MAX_BYTES) return { payload_gzip: compressed, payload_cut: false };
  return { payload: truncateCharacters(payload, CUT_CHARACTERS), payload_cut: true };
}
