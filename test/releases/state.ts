import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { build } from 'esbuild';
import * as z from 'zod';
import { secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { configurationReads, subscriptionReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import { hitPerDay, rateLimits, requestCounts } from '../../src/adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveryLogReads } from '../../src/adapters/dynamodb/delivery-records.ts';
import { erasure } from '../../src/adapters/dynamodb/erasure.ts';
import { failurePeriods } from '../../src/adapters/dynamodb/failure-periods.ts';
import { inFlightLeases } from '../../src/adapters/dynamodb/in-flight-leases.ts';
import { members } from '../../src/adapters/dynamodb/memberships.ts';
import { cachedRing, signingSecrets } from '../../src/adapters/secrets/secret-store.ts';
import { sessionTokens } from '../../src/adapters/secrets/session-tokens.ts';
import { busEvent, deliveryMessage, droppedEvent, messageText } from '../../src/contract/queues.ts';
import { serverSecretMatches } from '../../src/domain/auth/server-secret.ts';
import { parseJson } from '../../src/domain/parse-json.ts';
import { FakeAwsServices } from '../fakes/aws-services.ts';
import {
  aFormAction,
  anAiAction,
  anAssistant,
  anEventAction,
  OPERATOR_AUTHOR,
  ORG_ID,
  OTHER_SITE_ID,
  SITE_ID,
} from '../fakes/configuration.ts';
import { anAttempt, answered, DELIVERY, EVENT, mustRead, unanswered } from '../fakes/delivery.ts';
import { createAction, deleteAction, generateServerSecret, updateAction } from '../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../fakes/sources.ts';
import { MemoryTables, memoryDynamoDb } from '../fakes/tables.ts';
import { aConversation, someClaims } from '../fakes/widget.ts';

/** What a release stores and sends, as texts of JSON or as DynamoDB's JSON. */
const releaseState = z.object({
  /** By table. */
  items: z.record(z.string(), z.array(z.custom<Record<string, AttributeValue>>())),
  /** Bodies of messages, by queue. `dropped` are those of the events queue that have only what the rule passes of an unknown event. */
  messages: z.object({ events: z.array(z.string()), dropped: z.array(z.string()), deliveries: z.array(z.string()) }),
  secrets: z.object({ tokenRing: z.string(), sealingRing: z.string(), server: z.string(), session: z.string() }),
  /** By key. */
  browser: z.object({ tab: z.record(z.string(), z.string()), browser: z.record(z.string(), z.string()) }),
});
export type ReleaseState = z.infer<typeof releaseState>;

/** Returns a state as text. Binary attributes are Base64, as in DynamoDB's JSON. */
export const textOfState = (state: ReleaseState): string =>
  // JSON.stringify has made an object of a Buffer before it asks.
  JSON.stringify(state, (name, value) => (name === 'B' ? Buffer.from(value.data ?? value).toString('base64') : value));

/** Returns the state of a text. @throws when it does not have the shape of one */
export const stateOfText = (text: string): ReleaseState =>
  releaseState.parse(
    JSON.parse(text, (name, value: unknown) => (name === 'B' ? Buffer.from(String(value), 'base64') : value)),
  );

/** Everything is written at this time, and read then. */
const clock = new FrozenClock();
const TABLES = {
  configuration: 'configuration',
  counters: 'counters',
  conversations: 'conversations',
  deliveryLog: 'delivery_log',
};
const ADMIN = {
  org_id: ORG_ID,
  sub: 'sub-1',
  email: 'ada@example.com',
  role: 'admin',
  created_at: '2026-01-01T00:00:00.000Z',
} as const;
const BY_ADMIN = { kind: 'admin', membership: ADMIN, creationKey: 'create-1' } as const;
const USER = aConversation({ conversation_id: 'c-user', user_id: 'u-42', visitor_id: 'u-42' });
const CALL = { siteId: SITE_ID, conversationId: 'c-user', actionId: 'act_ai', argumentsHash: 'a'.repeat(64) };
const SUBMISSIONS = ['accepted', 'failed', 'sending'].map((clientKey) => ({
  siteId: SITE_ID,
  conversationId: 'c-user',
  clientKey,
}));
const RINGS = {
  tokenRing: {
    keys: [
      { kid: 'k2', key: '2'.repeat(64), active_from: 1_772_000_000 },
      { kid: 'k1', key: '1'.repeat(64) },
    ],
  },
  sealingRing: { kid: 'k3', key: '3'.repeat(64) },
};
const CLAIMS = someClaims({
  ...{ sub: 'u-42', user_name: 'Zoë', user_email: 'zoe@example.com', context: { plan: ['gold', 1, null] } },
  ...{
    usage_webhook: { url: 'https://shop.example/usage', secret: 's'.repeat(32) },
    iat: 1_772_600_000,
    exp: 1_772_603_600,
  },
});
const aws = new FakeAwsServices();

/** Returns the shipped adapters over these tables, and over the stored rings. */
function adaptersOf(tables: MemoryTables, rings: Pick<ReleaseState['secrets'], 'tokenRing' | 'sealingRing'>) {
  const client = memoryDynamoDb(tables);
  const ringOf = (name: keyof typeof rings) => {
    aws.on('GetSecretValue', { SecretId: name }, { SecretString: rings[name] });
    return cachedRing(secretsManagerClient(aws.access()), name, clock.now);
  };
  const { configuration, counters, conversations: conversationsTable, deliveryLog: log } = TABLES;
  const store = configurationStore(client, configuration);
  const { openSigningSecret, sealSigningSecret } = signingSecrets(ringOf('sealingRing'), countingBytes());
  return {
    client,
    store,
    reads: configurationReads(client, configuration),
    subscribersOf: subscriptionReads(client, configuration, clock.now),
    members: members(client, configuration),
    conversations: conversations(client, conversationsTable, clock.now),
    counters: {
      ...rateLimits(client, counters),
      hitPerDay: hitPerDay(client, counters),
      countsOf: requestCounts(client, counters, clock.now),
    },
    leases: inFlightLeases(client, counters, 2, () => 0),
    periods: failurePeriods(client, { counters, deliveryLog: log }),
    log: deliveryLog(client, log, {
      retentionDays: 30,
      now: clock.now,
      traceId: () => '1-67891233-abcdef012345678912345678',
    }),
    erasure: erasure(client, TABLES, mustRead),
    tokens: sessionTokens(ringOf('tokenRing'), clock.now),
    openSigningSecret,
    management: { store, now: clock.now, randomBytes: countingBytes(), sealSigningSecret },
  };
}

const textOf = (value: unknown) => JSON.stringify(value);
/** What the rule of the bus passes to the queue, as EventBridge writes it. */
const onBus = {
  version: '0',
  source: 'platform',
  account: '123456789012',
  region: 'eu-central-1',
  resources: [],
  ...EVENT,
};
const UNRECORDED = { with_body: true, status: 200, response_excerpt: 'ok', latency_ms: 12, success: true, error: null };

/** What the log keeps of an answer. */
const outcomeOf = ({ text: _, ...result }: ReturnType<typeof answered>) => result;

/** Lets this code store and send one of each kind. */
export async function presentState(): Promise<ReleaseState> {
  const tables = new MemoryTables();
  const rings = { tokenRing: textOf(RINGS.tokenRing), sealingRing: textOf(RINGS.sealingRing) };
  const { store, members, conversations, counters, leases, periods, log, erasure, tokens, management } = adaptersOf(
    tables,
    rings,
  );
  const operator = { ...management, author: OPERATOR_AUTHOR };

  await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'paid', created_at: ADMIN.created_at });
  await members.save(ADMIN);
  const assistant = anAssistant({
    ip_allowlist: ['203.0.113.7'],
    form_submissions_per_hour: 100,
    form_order: ['act_form'],
  });
  await store.createAssistant(assistant, 9, OPERATOR_AUTHOR);
  await store.createAssistant(
    anAssistant({ site_id: OTHER_SITE_ID, domain: 'xn--mnchen-3ya.example' }),
    9,
    OPERATOR_AUTHOR,
  );
  const { serverSecret } = await generateServerSecret(
    SITE_ID,
    { regenerate: false, authentication_mode: 'Session Signed' },
    operator,
  );
  const parameters = {
    type: 'object',
    properties: { constructor: { type: 'string' }, order: { type: 'integer' } },
    required: ['order'],
  };
  for (const action of [anEventAction(), aFormAction(), anAiAction({ feed_response_back: true })])
    await store.createAction(action, OPERATOR_AUTHOR);
  await updateAction('act_ai', { parameters, response_field_map: { total: '$.order.total' } }, operator);
  const named = {
    trigger: 'Event',
    name: 'Made by an admin',
    url: 'https://crm.example/',
    events: ['contact.created'],
  };
  await createAction(SITE_ID, named, { ...management, author: BY_ADMIN });
  await store.createAction(anEventAction({ action_id: 'act_deleted' }), OPERATOR_AUTHOR);
  await deleteAction('act_deleted', operator);
  await store.changeOrganization(ORG_ID, { daily_outbound_quota: 1000 }, OPERATOR_AUTHOR);
  await erasure.recordDeletion({ org_id: 'org_gone', deleted_at: ADMIN.created_at });
  await erasure.recordDeletion({ org_id: ORG_ID, site_id: 'site_gone', deleted_at: ADMIN.created_at });

  for (const conversation of [USER, aConversation()]) await conversations.saveConversation(conversation);
  await conversations.countCall({ ...CALL, idempotencyKey: 'turn-1' }, 5);
  const called = { call_id: 'call-1', action_name: 'Look up an order', called_at: clock.now().toISOString() };
  await conversations.recordCall({
    ...called,
    site_id: SITE_ID,
    conversation_id: 'c-user',
    action_id: 'act_ai',
    status: 200,
    latency_ms: 12,
    error: null,
  });
  for (const key of SUBMISSIONS) {
    await conversations.claimSubmission(
      key,
      { formId: 'act_form', submissionId: `form-${key.clientKey}` },
      clock.now(),
    );
    if (key.clientKey !== 'sending') await conversations.settleSubmission(key, key.clientKey === 'accepted');
  }

  await counters.hitPerMinute('form-submit#full', 1, clock.now());
  await counters.hitPerHour(SITE_ID, 1000, clock.now());
  await counters.hitPerDay(ORG_ID, 1000, clock.now());
  for (const holder of [ORG_ID, `usage#${ORG_ID}`]) await leases(holder, clock.now());
  await periods.recordFailure('act_event', clock.now());

  const long = { reference: 'event-2', payload: textOf({ id: 'event-2', data: 'x'.repeat(5000) }) };
  await log.claim(anAttempt());
  await log.complete(anAttempt(), outcomeOf(answered(200)));
  await log.claim(anAttempt({ attempt: 2, replay: '0123456789ab' }));
  await log.claim(anAttempt(long));
  await log.complete(anAttempt(long), outcomeOf(unanswered('timeout')));
  await log.recordUnsent(anAttempt({ reference: 'event-3' }), { code: 'action_disabled', message: 'off' });
  for (const trigger of ['form', 'ai', 'usage'] as const) {
    const start = anAttempt({
      action_id: trigger === 'usage' ? `usage_${SITE_ID}` : `act_${trigger}`,
      reference: `${trigger}-1`,
      trigger,
      trigger_ref: `${trigger}-1`,
      hasMessage: false,
    });
    await log.claim(start);
    await log.complete(start, outcomeOf(answered(500)));
  }

  return {
    items: Object.fromEntries(
      Object.values(TABLES).map((table) => [
        table,
        [...tables.items(table)].map((item) => marshall(item, { removeUndefinedValues: true })),
      ]),
    ),
    messages: {
      events: [onBus, { ...onBus, detail: { ...onBus.detail, site_id: null, version: 1 } }].map(messageText),
      dropped: [
        messageText({ id: EVENT.id, 'detail-type': 'no.such.event', source: 'platform', account: '123456789012' }),
      ],
      deliveries: [
        DELIVERY,
        { ...DELIVERY, attempt: 3, replay: '0123456789ab' },
        { ...DELIVERY, unrecorded_result: UNRECORDED },
      ].map(messageText),
    },
    secrets: { ...rings, server: serverSecret, session: await tokens.signToken(CLAIMS) },
    browser: await browserState({ tab: {}, browser: {} }, ({ storage, draft }) => {
      storage.setOwner('u-42');
      storage.allow();
      storage.set(storage.conversationKey, 'c-1');
      storage.set(storage.visitorKey, 'visitor_1');
      draft.save({ values: '{"email":"ada@example.com"}', clientKey: 'key-1', startedAt: clock.now().getTime() });
    }),
  };
}

/** Reads everything of a state by the code of today. @returns plain data @throws when something cannot be read */
export async function readState(state: ReleaseState): Promise<unknown> {
  const tables = new MemoryTables();
  for (const [TableName, items] of Object.entries(state.items))
    for (const item of items)
      tables.put({
        TableName,
        Item: unmarshall(item),
      });
  const {
    client,
    store,
    reads,
    members,
    conversations,
    counters,
    leases,
    periods,
    log,
    erasure,
    tokens,
    subscribersOf,
    openSigningSecret,
  } = adaptersOf(tables, state.secrets);
  const read: Record<string, unknown> = {};
  read.organizations = await all(store.listOrganizations());
  for (const siteId of [SITE_ID, OTHER_SITE_ID]) {
    read[`assistant ${siteId}`] = await reads.findAssistant(siteId);
    read[`offers of ${siteId}`] = [
      await reads.formsOf(siteId),
      await reads.toolsOf(siteId),
      await erasure.logsOfDeletedActions(ORG_ID, siteId),
    ];
  }
  read.assistants = await store.listAssistants(ORG_ID);
  const { actions, unreadable } = await store.listActions(ORG_ID);
  read.actions = [unreadable, ...(await Promise.all(actions.map(({ action_id }) => store.findActionById(action_id))))];
  read.subscribers = await subscribersOf(ORG_ID);
  read.domains = await Promise.all(
    ['shop.example', 'xn--mnchen-3ya.example'].map((domain) => reads.anyDomain([domain])),
  );
  read.creation = await store.createdBy(BY_ADMIN, clock.now());
  read.members = [await members.list(ORG_ID), await members.membershipsOf(ADMIN.sub)];
  read.audit = (await all(erasure.auditItems(ORG_ID))).map(({ record }) => record);
  read.deletions = await erasure.deletions();

  read.visits = await all(erasure.conversations());
  read.conversations = await Promise.all(
    ['c-user', 'c-1', 'none'].map((id) => conversations.findConversation(SITE_ID, id)),
  );
  read.calls = await Promise.all(
    [1, 5].map((limit) =>
      conversations.countCall({ ...CALL, idempotencyKey: limit === 5 ? 'turn-1' : undefined }, limit),
    ),
  );
  read.submissions = await Promise.all(
    SUBMISSIONS.map((key) =>
      conversations.claimSubmission(key, { formId: 'act_form', submissionId: 'another' }, clock.now()),
    ),
  );

  read.minute = await counters.hitPerMinute('form-submit#full', 1, clock.now());
  read.counts = await counters.countsOf(SITE_ID);
  read.day = await counters.hitPerDay(ORG_ID, 1, clock.now());
  read.leases = await Promise.all(
    [ORG_ID, `usage#${ORG_ID}`].map(async (holder) =>
      [await leases(holder, clock.now()), await leases(holder, clock.now())].map((lease) => lease !== undefined),
    ),
  );
  clock.advance(1000);
  read.failing = await periods.recordFailure('act_event', clock.now());
  clock.advance(-1000);

  const logs = ['act_event', 'act_form', 'act_ai', `usage_${SITE_ID}`];
  read.log = await Promise.all(
    logs.map((id) => all(deliveryLogReads(client, TABLES.deliveryLog, mustRead).deliveryRecords(id))),
  );
  read.claims = await Promise.all([anAttempt(), anAttempt({ attempt: 2, replay: '0123456789ab' })].map(log.claim));

  const json = (text: string) => parseJson(text);
  read.messages = [
    state.messages.events.map((text) => busEvent.parse(json(text))),
    state.messages.dropped.map((text) => droppedEvent.parse(json(text))),
    state.messages.deliveries.map((text) => deliveryMessage.parse(json(text))),
  ];

  const made = actions.find(({ name }) => name === 'Made by an admin');
  read.secrets = [
    await tokens.verifyToken(state.secrets.session),
    serverSecretMatches((await reads.findAssistant(SITE_ID))?.server_secret, state.secrets.server),
    made && (await openSigningSecret(made)),
  ];
  await browserState(state.browser, ({ storage, draft, input }) => {
    storage.setOwner('u-42');
    read.browser = [
      storage.get(storage.conversationKey),
      storage.get(storage.visitorKey),
      draft.restore(),
      input.value,
    ];
    // Of another user, nothing is left.
    storage.setOwner('u-43');
    read.browserOfAnother = [Object.keys(sessionStorage).length, draft.restore()];
  });
  return JSON.parse(JSON.stringify(read));
}

/** The part of `widget/storage.ts` that this file uses. The widget's types need those of a browser. */
type Draft = { readonly save: (attempt: object) => void; readonly restore: () => unknown };
type WidgetStorage = {
  readonly conversationKey: string;
  readonly visitorKey: string;
  readonly get: (key: string) => unknown;
  readonly set: (key: string, value: unknown) => void;
  readonly setOwner: (userId: string) => void;
  readonly allow: () => void;
  readonly draft: (slug: string, fields: readonly object[]) => Draft;
};
type WidgetModule = { readonly siteStorage: (siteId: string, isOff: boolean) => WidgetStorage };

/** Runs the widget's storage in a browser whose tab and storage keep this. @returns what they keep then */
async function browserState(
  kept: ReleaseState['browser'],
  use: (widget: { readonly storage: WidgetStorage; readonly draft: Draft; readonly input: { value: string } }) => void,
): Promise<ReleaseState['browser']> {
  const stored = { tab: new StoredTexts(kept.tab), browser: new StoredTexts(kept.browser) };
  Object.defineProperty(globalThis, 'sessionStorage', { value: stored.tab, configurable: true });
  Object.defineProperty(globalThis, 'localStorage', { value: stored.browser, configurable: true });
  const input = { value: Object.keys(kept.tab).length === 0 ? 'ada@example.com' : '', defaultValue: '' };
  const storage = (await widgetModule).siteStorage(SITE_ID, false);
  use({ storage, draft: storage.draft('contact-us', [{ field: { key: 'email' }, input }]), input });
  return { tab: { ...stored.tab }, browser: { ...stored.browser } };
}

const widgetModule = bundledWidget();

async function bundledWidget(): Promise<WidgetModule> {
  const options = { bundle: true, write: false, format: 'esm', logLevel: 'silent' } as const;
  const { outputFiles } = await build({ ...options, entryPoints: ['widget/storage.ts'] });
  const code = Buffer.from(outputFiles[0]?.text ?? '').toString('base64');
  return z.custom<WidgetModule>().parse(await import(`data:text/javascript;base64,${code}`));
}

/** The texts are properties, as those of a browser's storage. */
class StoredTexts {
  constructor(texts: Readonly<Record<string, string>>) {
    Object.assign(this, texts);
  }
  getItem(key: string): unknown {
    return Object.entries(this).find(([name]) => name === key)?.[1] ?? null;
  }
  setItem(key: string, text: string): void {
    Object.assign(this, { [key]: text });
  }
  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }
}

async function all<One>(list: AsyncIterable<One>): Promise<readonly One[]> {
  const read: One[] = [];
  for await (const one of list) read.push(one);
  return read;
}
