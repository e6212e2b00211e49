import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import type { DynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { subscriptionReads } from '../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../src/adapters/dynamodb/conversations-table.ts';
import { hitPerDay, hitPerMinute } from '../../../src/adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveryLogReads } from '../../../src/adapters/dynamodb/delivery-records.ts';
import { failurePeriods } from '../../../src/adapters/dynamodb/failure-periods.ts';
import { inFlightLeases } from '../../../src/adapters/dynamodb/in-flight-leases.ts';
import { members } from '../../../src/adapters/dynamodb/memberships.ts';
import { ConditionFailed } from '../../../src/adapters/dynamodb/storage-errors.ts';
import type { Action } from '../../../src/contract/actions.ts';
import type { AttemptResult } from '../../../src/contract/delivery-record.ts';
import type { Membership } from '../../../src/contract/organizations.ts';
import { unixSeconds } from '../../../src/domain/sources.ts';
import {
  aFormAction,
  anAssistant,
  anEventAction,
  OPERATOR_AUTHOR,
  ORG_ID,
  SITE_ID,
} from '../../fakes/configuration.ts';
import { anAttempt, mustRead } from '../../fakes/delivery.ts';
import { FrozenClock } from '../../fakes/sources.ts';
import { MemoryTables, memoryDynamoDb } from '../../fakes/tables.ts';
import { aConversation } from '../../fakes/widget.ts';
import { tablesOfFile } from '../adapters/dynamodb/tables.ts';

const tables = await tablesOfFile();

/** What a call did, without what differs between two engines. */
const seen = (settled: PromiseSettledResult<unknown>): unknown => {
  if (settled.status === 'fulfilled') return settled.value;
  const { reason } = settled;
  return reason instanceof ConditionFailed ? [reason.name, reason.item] : String(reason);
};

/** Returns a client that makes each call on the engine and in memory, one after the other, and lists the calls whose results differ. */
function both() {
  const memory = memoryDynamoDb(new MemoryTables());
  const differences: unknown[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const same = <Result>(make: (client: DynamoDb) => Promise<Result>): Promise<Result> => {
    const made = last.then(async () => {
      const [theirs, ours] = await Promise.allSettled([make(tables.client), make(memory)]);
      if (!isDeepStrictEqual(seen(ours), seen(theirs))) differences.push({ ours: seen(ours), theirs: seen(theirs) });
      if (theirs.status === 'rejected') throw theirs.reason;
      return theirs.value;
    });
    last = made.catch(() => undefined);
    return made;
  };
  const pagesOf = async <Page>(pages: AsyncIterable<Page>) => {
    const all: Page[] = [];
    for await (const page of pages) all.push(page);
    return all;
  };
  const client: DynamoDb = {
    get: (input) => same((one) => one.get(input)),
    putItem: (input) => same((one) => one.putItem(input)),
    update: (input) => same((one) => one.update(input)),
    delete: (input) => same((one) => one.delete(input)),
    query: (input) => same(async (one) => ({ ...(await one.query(input)), ScannedCount: 0 })),
    queryPages: async function* (input) {
      yield* await same(async (one) =>
        (await pagesOf(one.queryPages(input))).map((page) => ({ ...page, ScannedCount: 0 })),
      );
    },
    scanPages: async function* (input) {
      yield* await same((one) => pagesOf(one.scanPages(input)));
    },
    batchDelete: (table, keys) => same((one) => one.batchDelete(table, keys)),
    batchGet: (input) =>
      same(async (one) => {
        const { Items, UnprocessedKeys } = await one.batchGet(input);
        return { UnprocessedKeys, Items: Items.toSorted((a, b) => (String(a.sk) < String(b.sk) ? -1 : 1)) };
      }),
    writeEach: (...call) => same((one) => one.writeEach(...call)),
    transactWrite: (items) => same((one) => one.transactWrite(items)),
  };
  return { client, differences };
}

/** Calls of the adapters, with few different keys, so that most conditions hold in one call and not in the next. */
const few = fc.nat({ max: 2 });
const COMMANDS = fc.array(fc.record({ kind: fc.nat({ max: 18 }), a: few, b: few, seconds: fc.nat({ max: 40 }) }), {
  minLength: 20,
  maxLength: 60,
  size: 'max',
});
const SUCCESS: AttemptResult = { status: 200, response_excerpt: 'ok', latency_ms: 3, success: true, error: null };
const RESULTS: readonly AttemptResult[] = [
  SUCCESS,
  { status: null, response_excerpt: null, latency_ms: 5, success: false, error: { code: 'timeout', message: '' } },
  { status: 404, response_excerpt: '', latency_ms: 4, success: false, error: { code: 'http_status', message: '' } },
];

async function run(
  client: DynamoDb,
  unique: string,
  commands: readonly { kind: number; a: number; b: number; seconds: number }[],
) {
  const clock = new FrozenClock();
  const { now } = clock;
  const { sorted, unsorted } = tables;
  const org = `${ORG_ID}${unique}`;
  const site = `${SITE_ID}${unique}`;
  const log = deliveryLog(client, sorted, { retentionDays: 1, now });
  const periods = failurePeriods(client, { counters: unsorted, deliveryLog: sorted });
  const talks = conversations(client, sorted, now);
  const store = configurationStore(client, sorted);
  const subscribersOf = subscriptionReads(client, sorted, now);
  const takeLease = inFlightLeases(client, unsorted, 2, (options) => Math.floor(Math.random() * options));
  const start = (a: number, b: number) => {
    const about = { action_id: `sent_${unique}${a}`, reference: `e${b}` };
    return anAttempt({ ...about, at: '2026-03-04T05:06:07.250Z', started_at: now().toISOString() });
  };
  const both = <Result>(work: (b: number) => Promise<Result>) => Promise.allSettled([work(0), work(1), work(1)]);
  await store.createOrganization({ org_id: org, name: 'Shop', plan: 'free', created_at: now().toISOString() });
  await store.createAssistant(anAssistant({ org_id: org, site_id: site }), 1, OPERATOR_AUTHOR);
  const by: Membership = { org_id: org, sub: unique, email: 'a@a.example', role: 'admin', created_at: '' };
  const author = () => ({ kind: 'admin' as const, membership: by });
  const versions = new Map<number, Action>();
  for (const { kind, a, b, seconds } of commands) {
    clock.advance(seconds * 1000);
    const action = { ...anEventAction(), org_id: org, site_id: site, action_id: `act_${unique}${a}`, version: b };
    const form = aFormAction({ org_id: org, site_id: site, action_id: `form_${unique}${a}`, slug: `s${b}` });
    const key = { siteId: site, conversationId: `c${a}`, clientKey: `k${b}` };
    const calls: readonly (() => Promise<unknown>)[] = [
      () => log.claim(start(a, b)),
      () => both((one) => log.claim(start(a, one))),
      () => log.abandon(start(a, b), { code: 'action_deleted', message: '' }),
      () => both((one) => log.complete(start(a, one), RESULTS[b] ?? SUCCESS)),
      () => log.complete(start(a, b), RESULTS[b] ?? SUCCESS),
      () => log.recordUnsent(start(a, b), { code: 'action_disabled', message: '' }),
      () => periods.recordFailure(`x${unique}${a}`, now()),
      async () => {
        const period = await periods.recordFailure(`x${unique}${a}`, now());
        await periods.hasSucceeded(`sent_${unique}${a}`, period.since - 3600, now());
        const signalled_at = b === 0 ? unixSeconds(now()) : null;
        return periods.replacePeriod(`x${unique}${a}`, period, { ...period, signalled_at });
      },
      () => talks.countCall({ ...key, actionId: `x${b}`, idempotencyKey: undefined, argumentsHash: '' }, 2),
      () => talks.countCall({ ...key, actionId: `x${a}`, idempotencyKey: `k${b}`, argumentsHash: `${unique}` }, 2),
      () => talks.claimSubmission(key, { formId: 'act_1', submissionId: `id${b}` }, now()),
      async () => {
        const claim = await talks.claimSubmission(key, { formId: 'act_1', submissionId: `id${b}` }, now());
        await talks.settleSubmission(key, b === 1);
        return claim;
      },
      () => hitPerMinute(client, unsorted)(`minute${unique}${a}`, 3, now()),
      () => hitPerDay(client, unsorted)(`${unique}${a}`, 3, now()),
      async () => (await takeLease(`${org}${a}`, now()))?.release(),
      () =>
        store.createAssistant(
          anAssistant({ org_id: org, site_id: `${site}${a}`, domain: `${a}.example` }),
          2,
          author(),
        ),
      async () => {
        const outcome = await store.createAction(b === 0 ? action : form, OPERATOR_AUTHOR);
        if (outcome === 'created') versions.set(a, b === 0 ? action : form);
        return [outcome, await subscribersOf(org), await store.listActions(org)];
      },
      async () => {
        const previous = versions.get(a) ?? form;
        const next = { ...previous, slug: `t${b}`, version: previous.version + 1 };
        if ((await store.replaceAction(previous, next, OPERATOR_AUTHOR)) === 'replaced') versions.set(a, next);
      },
      () => store.deleteAction(versions.get(a) ?? action, OPERATOR_AUTHOR),
      () =>
        store.changeOrganization(
          org,
          { suspended: b === 1, daily_outbound_quota: b === 2 ? 9 : null },
          OPERATOR_AUTHOR,
        ),
    ];
    await calls[kind]?.().catch((error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error;
    });
  }
  const reads = deliveryLogReads(client, sorted, mustRead);
  for await (const _ of reads.deliveryRecords(`sent_${unique}0`));
  await reads.eventAttempts(`sent_${unique}0`, 'e0', '2026-03-04T05:06:07.250Z');
  await reads.eventTime([`sent_${unique}0`, `sent_${unique}1`], 'e0');
  await store.changeOrganization(org, { suspended: true }, OPERATOR_AUTHOR);
  await store.assistantsPage(org, undefined);
  await store.auditPage(org);
  const directory = members(client, sorted);
  await directory.save(by);
  await Promise.all([directory.list(org), directory.membershipsOf(unique)]);
  await directory.remove(org, unique);
  await talks.saveConversation(aConversation({ site_id: site }));
  await Promise.all([site, 'site_other'].map((siteId) => talks.findConversation(siteId, 'c-1')));
}

test('tables in memory answer every call of the adapters as an engine of DynamoDB does', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(COMMANDS, async (commands) => {
      const { client, differences } = both();
      await run(client, `r${++runs}x`, commands);
      expect(differences).toEqual([]);
    }),
    { numRuns: 6, seed: 1, endOnFailure: true },
  );
});
