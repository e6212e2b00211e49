import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { DeliveryRecord } from '../../contract/delivery-record.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { deliveryError } from '../../contract/stored.ts';
import type { AttemptKey } from '../../domain/context.ts';
import type { DynamoDb } from './client.ts';
import { whenConditionHolds } from './storage-errors.ts';
import { itemReader, readableOf } from './stored-items.ts';

/** The ends of the keys over which the records of one log are spread: the first digit of the hash of their reference. */
const DIGITS = [...'0123456789abcdef'];

const partition = (logId: string, digit: string) => `ACTION#${logId}#${digit}`;

/**
 * Returns the partition key of a record. DynamoDB accepts 1 000 write units a second for one key, and it cannot split a key whose newest
 * records are written. All attempts of an event have one key.
 * @param logId id of the Action, or of the usage log of a site
 */
export const partitionOf = (logId: string, reference: string): string =>
  partition(logId, createHash('sha256').update(reference).digest('hex').charAt(0));

export const logPartitions = (logId: string): readonly string[] => DIGITS.map((digit) => partition(logId, digit));

const logOf = (pk: string): string => pk.slice('ACTION#'.length, -'#0'.length);

/** Time, reference, attempt and, of a replay, its id: the attributes of a record that only its key has. */
const SORT_KEY = /^(?<at>[^#]*)#(?<reference>.*)#(?<attempt>\d+)(?:#(?<replay>[^#]+))?$/;

const LATER_THAN_ALL = '~';

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
  /** Id of the latest claim of the attempt, and its time in Unix seconds. */
  claim_id: z.string().optional(),
  claimed_at: z.number().optional(),
  record_state: z.enum(['started', 'succeeded', 'failed']),
  sends: z.number(),
  status: z.number().nullish(),
  response_excerpt: z.string().nullish(),
  latency_ms: z.number().nullish(),
  error: deliveryError.nullish(),
  erased_at: z.string().optional(),
});
/** A record of an attempt as it is stored. Fields of the outcome are absent until the attempt has ended. */
export type StoredRecord = z.infer<typeof storedRecord>;
export const readRecord = itemReader(storedRecord);

export const keyOf = (key: AttemptKey) => ({
  pk: partitionOf(key.action_id, key.reference),
  sk: [key.at, key.reference, key.attempt, ...(key.replay === undefined ? [] : [key.replay])].join('#'),
});

/** DynamoDB bills a write by whole units of the item's size. */
const WRITE_UNIT_BYTES = 1024;
/** About what a record has beside its payload: names, key, ids, times and a short answer. */
const OTHER_BYTES = 512;
/** DynamoDB's limit for an item is 400 KB. This value leaves space for the excerpt of the response. */
const PAYLOAD_MAX_BYTES = 360 * 1024;
/** How much is kept of a payload that is too large even when compressed. */
const CUT_CHARACTERS = 50_000;

const writeUnits = (payloadBytes: number) => Math.ceil((OTHER_BYTES + payloadBytes) / WRITE_UNIT_BYTES);

/** Compresses a payload when that saves a write unit; otherwise it stays readable in the AWS console. */
export function storedPayload(payload: string | null): Pick<StoredRecord, 'payload' | 'payload_gzip' | 'payload_cut'> {
  if (payload === null) return { payload_cut: false };
  const bytes = Buffer.byteLength(payload);
  if (writeUnits(bytes) === 1) return { payload, payload_cut: false };
  const compressedPayload = gzipSync(payload);
  if (writeUnits(compressedPayload.length) >= writeUnits(bytes) && bytes <= PAYLOAD_MAX_BYTES)
    return { payload, payload_cut: false };
  if (compressedPayload.length <= PAYLOAD_MAX_BYTES) return { payload_gzip: compressedPayload, payload_cut: false };
  return { payload: truncateCharacters(payload, CUT_CHARACTERS), payload_cut: true };
}

/** Records in one page of a query. A list merges the pages of all keys of a log, so small pages keep it from reading much more than it shows. */
const PAGE_RECORDS = 100;

/**
 * Creates the reads of delivery logs for the operator. A log is that of an Action, or the usage log of a site.
 * @param unreadable is called with the error of each record that cannot be read. The others are read
 */
export function deliveryLogReads(
  client: Pick<DynamoDb, 'queryPages'>,
  table: string,
  unreadable: (cause: Error) => void,
) {
  async function* partitionRecords(pk: string, from: string | undefined): AsyncGenerator<StoredRecord, undefined> {
    const pages = client.queryPages({
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk, ...(from === undefined ? {} : { ':from': from }) },
      ScanIndexForward: false,
      ...(from === undefined
        ? { Limit: PAGE_RECORDS }
        : {
            FilterExpression: '#record.#started_at >= :from',
            ExpressionAttributeNames: { '#record': 'record', '#started_at': 'started_at' },
          }),
    });
    for await (const { Items } of pages) yield* readableOf(Items, (item) => readRecord(table, item), unreadable);
  }

  return {
    /**
     * Reads a log: the newest event first, and of an event the highest number of an attempt, beside which replays stand.
     * @param from ISO 8601; only attempts that began since. An event has the time that its publisher names, so this reads the whole log
     */
    deliveryRecords: async function* (logId: string, from?: string): AsyncGenerator<DeliveryRecord> {
      const logs = logPartitions(logId).map((pk) => partitionRecords(pk, from));
      /** The newest record of each key that is not listed yet; undefined after the last one. */
      const heads = await Promise.all(logs.map(async (log) => ({ log, record: (await log.next()).value })));
      for (;;) {
        const newest = heads.reduce((one, other) => ((other.record?.sk ?? '') > (one.record?.sk ?? '') ? other : one));
        if (newest.record === undefined) return;
        yield deliveryRecord(newest.record);
        newest.record = (await newest.log.next()).value;
      }
    },

    /**
     * Finds the time of an event, as its envelope has it, in one of several logs. Its publisher may name any time, so this reads what these logs have
     * with the event's key, a page of each in turn, the newest event first, until a record of it is found.
     * @param until ISO 8601; only events before
     */
    eventTime: async (logIds: readonly string[], eventId: string, until = LATER_THAN_ALL) => {
      let logs = logIds.map((logId) =>
        client.queryPages({
          TableName: table,
          KeyConditionExpression: 'pk = :pk AND sk < :until',
          ExpressionAttributeValues: { ':pk': partitionOf(logId, eventId), ':until': until },
          ProjectionExpression: 'sk',
          ScanIndexForward: false,
        }),
      );
      while (logs.length > 0) {
        const turns = await Promise.all(logs.map(async (log) => ({ log, page: await log.next() })));
        for (const { page } of turns) {
          for (const { sk } of page.value?.Items ?? []) {
            const { at, reference } = SORT_KEY.exec(String(sk))?.groups ?? {};
            if (reference === eventId) return at;
          }
        }
        logs = turns.filter(({ page }) => !page.done).map(({ log }) => log);
      }
      return undefined;
    },

    /** Reads the records of one event in a log, by the number of the attempt, beside which replays stand. @param at the event's time, exactly as in its envelope */
    eventAttempts: async (logId: string, eventId: string, at: string): Promise<readonly DeliveryRecord[]> => {
      const pages = client.queryPages({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':pk': partitionOf(logId, eventId),
          ':from': `${at}#${eventId}#`,
          // `$` is the character after `#`.
          ':to': `${at}#${eventId}$`,
        },
      });
      const attempts: DeliveryRecord[] = [];
      for await (const { Items } of pages)
        attempts.push(...readableOf(Items, (item) => deliveryRecord(readRecord(table, item)), unreadable));
      return attempts.filter(({ reference }) => reference === eventId);
    },
  };
}

/**
 * Removes payload and response from a record that has ended. It never changes again, so nothing restores them. A record that is not
 * ended counts as ended when it began before `endedBefore`.
 * @returns whether a record was changed
 */
export async function eraseContent(
  client: DynamoDb,
  table: string,
  record: DeliveryRecord,
  { now, endedBefore }: { readonly now: Date; readonly endedBefore: Date },
): Promise<boolean> {
  const { action_id, event_time: at, reference, attempt, replay } = record;
  return whenConditionHolds(
    client.update({
      TableName: table,
      Key: keyOf({ action_id, at, reference, attempt, replay: replay ?? undefined }),
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

function deliveryRecord(record: StoredRecord): DeliveryRecord {
  const { at = '', reference = '', attempt, replay } = SORT_KEY.exec(record.sk)?.groups ?? {};
  return {
    ...record.record,
    action_id: logOf(record.pk),
    reference,
    attempt: Number(attempt),
    event_time: at,
    replay: replay ?? null,
    state: record.record_state,
    payload: record.payload_gzip === undefined ? (record.payload ?? null) : gunzipSync(record.payload_gzip).toString(),
    payload_cut: record.payload_cut,
    status: record.status ?? null,
    response_excerpt: record.response_excerpt ?? null,
    latency_ms: record.latency_ms ?? null,
    success: record.record_state === 'succeeded',
    error: record.error ?? null,
    sends: record.sends,
    erased_at: record.erased_at,
  };
}
