import { type EraseContext, eraseAssistant, eraseOrganization } from '../../../cli/operations/erase.ts';
import type { DynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import {
  assistantOwners,
  configurationReads,
  subscriptionReads,
} from '../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../src/adapters/dynamodb/conversations-table.ts';
import { rateLimits } from '../../../src/adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../../../src/adapters/dynamodb/delivery-log-table.ts';
import { erasure } from '../../../src/adapters/dynamodb/erasure.ts';
import { members } from '../../../src/adapters/dynamodb/memberships.ts';
import { callTool } from '../../../src/domain/actions/call-tool.ts';
import { actionOf, createAction, deleteAction, updateAction } from '../../../src/domain/actions/manage-actions.ts';
import { submitForm } from '../../../src/domain/actions/submit-form.ts';
import { identifyWidget } from '../../../src/domain/auth/authenticate-widget.ts';
import { createSession } from '../../../src/domain/auth/create-session.ts';
import { newServerSecret, storedServerSecret } from '../../../src/domain/auth/server-secret.ts';
import type { Author, Configuration, DeliveryLog, Members, Send } from '../../../src/domain/context.ts';
import { initWidget } from '../../../src/domain/conversations/init-widget.ts';
import { deliverMessage } from '../../../src/domain/delivery/deliver-event.ts';
import { InvocationEnded } from '../../../src/domain/delivery/outbound-request.ts';
import { routeMessage } from '../../../src/domain/events/route-event.ts';
import type { Invocation } from '../../../src/domain/facts.ts';
import {
  assistantOf,
  createAssistant,
  generateServerSecret,
  updateAssistant,
} from '../../../src/domain/organizations/manage-assistants.ts';
import { removeMember, requireMembership } from '../../../src/domain/organizations/manage-members.ts';
import { requireOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import type { RandomBytes } from '../../../src/domain/sources.ts';
import { reportUsage } from '../../../src/domain/usage/report-usage.ts';
import {
  aFormAction,
  anAiAction,
  anAssistant,
  anEventAction,
  OPERATOR_AUTHOR,
  ORG_ID,
  SITE_ID,
} from '../../fakes/configuration.ts';
import { CONFIGURATION, storeOrganization } from '../../fakes/configuration-store.ts';
import { answered, EVENT, mustRead, openSigningSecret } from '../../fakes/delivery.ts';
import { Environment, Faults } from '../../fakes/environment.ts';
import { countingBytes, countingIds } from '../../fakes/sources.ts';
import { MemoryTables, memoryDynamoDb } from '../../fakes/tables.ts';
import { aConversation, fakeTokens, siteIdCredentials, someClaims } from '../../fakes/widget.ts';
import type { World } from '../../fakes/world.ts';

/** Replaces parts of the code by faulty ones, to show that the schedules find them. */
export type DeletionDefects = {
  readonly dynamo?: (dynamo: DynamoDb) => DynamoDb;
  readonly randomBytes?: RandomBytes;
  readonly erase?: (eraseContext: EraseContext) => EraseContext;
  readonly configuration?: (reads: Configuration, world: World) => Configuration;
  readonly log?: (log: DeliveryLog) => DeliveryLog;
  readonly members?: (members: Members, world: World) => Members;
};

const TABLES = {
  configuration: CONFIGURATION,
  conversations: 'conversations',
  counters: 'counters',
  deliveryLog: 'log',
};
/** A call may begin 16 s late. So nothing of a request happens 30 s after it began, as long as a deletion waits. */
const TIMEOUT_MS = 10_000;
const REQUESTS_SECONDS = 45;
const BEGIN_SECONDS = 2;
const ADMIN = { org_id: ORG_ID, sub: 'sub-1', email: 'ada@example.com', role: 'admin', created_at: '' } as const;
const CONVERSATION = aConversation({ user_id: null });
const CLAIMS = someClaims({ usage_webhook: { url: 'https://crm.example/usage', secret: 's'.repeat(32) } });

/**
 * An assistant or its organization is deleted beside everything that admins, visitors, backends and the platform do. Afterwards nothing of it is left, and nothing is
 * sent. A removed member, a replaced server secret and the id of something deleted are never accepted again.
 */
export async function deletions(world: World, defects: DeletionDefects = {}): Promise<void> {
  const faults = new Faults(world);
  const tables = new MemoryTables();
  const randomBytes = defects.randomBytes ?? countingBytes();
  const newId = countingIds();
  const secret = newServerSecret(SITE_ID, () => Buffer.alloc(32, 7));
  const assistant = anAssistant({ server_secret: storedServerSecret(secret) });
  await storeOrganization(tables, [anEventAction(), aFormAction(), anAiAction()], assistant);
  await members(memoryDynamoDb(tables), CONFIGURATION).save(ADMIN);
  await conversations(memoryDynamoDb(tables), TABLES.conversations, () => world.clock()).saveConversation(CONVERSATION);

  /** The step at which something was done: what begins later must see it. */
  const done = {
    deletion: Number.POSITIVE_INFINITY,
    removal: Number.POSITIVE_INFINITY,
    newSecret: Number.POSITIVE_INFINITY,
  };
  const deletedIds = new Map<string, number>();

  const parts = (environment: Environment) => {
    const own = memoryDynamoDb(tables, environment.call);
    const dynamo = defects.dynamo?.(own) ?? own;
    const reads = configurationReads(dynamo, CONFIGURATION);
    const log = deliveryLog(dynamo, TABLES.deliveryLog, { retentionDays: 30, now: environment.now });
    const memberships = members(dynamo, CONFIGURATION);
    const leaves = (what: string) => {
      if (world.steps > done.deletion) world.violated(`${what} leaves after the end of the deletion`);
    };
    const send: Send = ({ url }, _policy, { signal }) =>
      environment.request(url, signal, () => {
        leaves(`a request to ${url}`);
        return { outcome: answered(world.oneIn(3) ? 500 : 200), seconds: world.choose(3), over: () => {} };
      });
    return {
      dynamo,
      author: OPERATOR_AUTHOR,
      store: configurationStore(dynamo, CONFIGURATION),
      members: defects.members?.(memberships, world) ?? memberships,
      configuration: defects.configuration?.(reads, world) ?? reads,
      conversations: conversations(dynamo, TABLES.conversations, environment.now),
      counters: rateLimits(dynamo, TABLES.counters),
      deliveryLog: defects.log?.(log) ?? log,
      tokens: fakeTokens({ verifyTokenOfTurn: async () => CLAIMS }),
      publish: async () => newId(),
      escalate: async () => 'none' as const,
      now: environment.now,
      randomBytes,
      sealSigningSecret: async () => 'sealed',
      openSigningSecret,
      send,
    };
  };
  type Parts = ReturnType<typeof parts>;

  /** A change in the dashboard. */
  const byAdmin = async (
    { members, ...own }: Parts,
    change: (context: Omit<Parts, 'author'> & { author: Author }) => Promise<unknown>,
  ) => {
    const began = world.steps;
    const by = await requireMembership(ORG_ID, ADMIN.sub, 'admin', members);
    const author = { kind: 'admin' as const, membership: by, creationKey: `key${world.choose(2)}` };
    const changed = await change({ members, ...own, author });
    if (began > done.removal) world.violated('a removed member has made a change');
    const { action_id = '' } = Object.assign({ action_id: '' }, changed);
    if (began > (deletedIds.get(action_id) ?? Number.POSITIVE_INFINITY)) world.violated(`${action_id} is used again`);
    return changed;
  };
  const action = {
    name: 'CRM',
    url: 'https://crm.example/new',
    trigger: 'Event',
    events: [EVENT['detail-type']],
  } as const;
  const form = {
    ...action,
    trigger: 'Form',
    form_fields: [{ key: 'a', label: 'A', type: 'Text' }],
    events: undefined,
  } as const;
  const widgetOf = (own: Parts) => identifyWidget(siteIdCredentials(), own);

  const requests: Readonly<Record<string, (own: Parts, invocation: Invocation) => Promise<unknown>>> = {
    'an admin creates an Action': (own) =>
      byAdmin(own, async (context) =>
        createAction(await assistantOf(ADMIN, SITE_ID, context), world.oneIn(2) ? action : { ...form }, context),
      ),
    'an admin creates an assistant': (own) =>
      byAdmin(own, (context) => createAssistant(ORG_ID, { name: 'New', hourly_rate_limit: 1 }, context)),
    'an admin switches the assistant on': (own) =>
      byAdmin(own, async (context) =>
        updateAssistant(await assistantOf(ADMIN, SITE_ID, context), { enabled: true, domain: 'b.example' }, context),
      ),
    'an admin saves an Action': (own) =>
      byAdmin(own, async (context) =>
        updateAction(await actionOf(ADMIN, 'act_event', context), { name: `CRM ${world.choose(9)}` }, context),
      ),
    'an admin deletes an Action': (own) =>
      byAdmin(own, async (context) => {
        const { actions } = await context.store.listActions(ORG_ID);
        const one = actions[world.choose(actions.length)];
        if (one === undefined) return;
        await deleteAction(one, context);
        deletedIds.set(one.action_id, world.steps);
      }),
    'an admin repeats the creation of what is deleted': (own) =>
      byAdmin(own, async (context) => {
        const create = async () => createAction(await assistantOf(ADMIN, SITE_ID, context), action, context);
        const { action_id, ...created } = await create();
        await deleteAction({ action_id, ...created }, context);
        if ((await create()).action_id === action_id) world.violated(`${action_id} is used again`);
      }),
    'an admin replaces the server secret': (own) =>
      byAdmin(own, async (context) => {
        await generateServerSecret(await assistantOf(ADMIN, SITE_ID, context), { regenerate: true }, context);
        done.newSecret = Math.min(done.newSecret, world.steps);
      }),
    'the operator adds a member': async ({ members, ...own }) => {
      await requireOrganization(ORG_ID, own);
      await members.save({ ...ADMIN, sub: 'sub-2' });
    },
    'the operator removes the admin': async (own) => {
      await removeMember(ORG_ID, { sub: ADMIN.sub }, own);
      done.removal = Math.min(done.removal, world.steps);
    },
    'a page begins a conversation': async (own, invocation) =>
      initWidget({ widget: await widgetOf(own), readBody: () => ({}) }, own, invocation),
    'a visitor submits a form': async (own, invocation) => {
      const readBody = () => ({
        conversation_id: CONVERSATION.conversation_id,
        values: { email: 'a@b.example' },
        client_key: 'k',
      });
      const { slug } = aFormAction();
      return submitForm({ widget: await widgetOf(own), siteId: SITE_ID, slug, readBody }, own, invocation);
    },
    'a backend creates a session': async (own, invocation) => {
      const began = world.steps;
      await createSession({ serverKey: secret, ip: '203.0.113.7', readBody: () => ({}) }, own, invocation);
      if (began > done.newSecret) world.violated('a server secret is accepted after it was replaced');
      if (began > done.deletion) world.violated('a session is created after the deletion');
    },
    'the assistant calls a tool': (own, invocation) => {
      const { slug: tool } = anAiAction();
      const call = { site_id: SITE_ID, conversation_id: CONVERSATION.conversation_id, tool, arguments: {} };
      return callTool(call, own, invocation);
    },
    'the runtime reports usage': (own, invocation) => {
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, tts_chars: 0, tts_provider: 'x' };
      return reportUsage({ session_token: 'token', usage }, own, invocation);
    },
    'the bus passes an event on': ({ dynamo, ...own }, invocation) => {
      const message = { ...EVENT, id: `event${++events}` };
      const context = {
        ...own,
        subscriptions: {
          subscribersOf: subscriptionReads(dynamo, CONFIGURATION, own.now),
          hasAssistant: assistantOwners(dynamo, CONFIGURATION),
        },
        queue,
      };
      return routeMessage({ message, messageId: message.id }, context, invocation);
    },
  };
  let events = 0;

  const request = (seconds: number, what: string, make: (own: Parts, invocation: Invocation) => Promise<unknown>) =>
    world.after(seconds * 1000, what, () => {
      const environment = new Environment(what, world, faults);
      const ended = new AbortController();
      world.after(TIMEOUT_MS, `the time of what ${what} is over`, () => {
        environment.end();
        ended.abort(new InvocationEnded());
      });
      const invocation = { signal: ended.signal, now: environment.now, newId, reportFact: () => {} };
      make(parts(environment), invocation).catch(() => undefined);
    });
  let messages = 0;
  /** The deliveries queue, which delivers each message once or twice, at any time of the next minute. */
  const queue: Parameters<typeof routeMessage>[1]['queue'] = {
    send: async (sent) => {
      for (const message of sent) await queue.sendLater(message, world.choose(60));
      return { tooLarge: [] };
    },
    sendLater: async (message, seconds) => {
      const messageId = `m${++messages}`;
      const deliver = (own: Parts, invocation: Invocation) => {
        const findAction: Configuration['findAction'] = (...ids) => own.configuration.findAction(...ids);
        return deliverMessage(message, { ...own, findAction, queue }, invocation);
      };
      request(seconds, `the dispatcher delivers ${messageId}`, deliver);
      if (world.oneIn(3)) request(seconds + world.choose(60), `the dispatcher delivers ${messageId} again`, deliver);
    },
  };

  const whole = world.oneIn(2);
  world.after(
    world.choose(BEGIN_SECONDS) * 1000,
    `the operator deletes ${whole ? 'the organization' : 'the assistant'}`,
    () => {
      const operator = new Environment('operator', world, faults);
      const pause = (delay: number) => new Promise<void>((resolve) => world.after(delay, 'the pause ends', resolve));
      const own = parts(operator);
      const eraseContext = { ...own, erasure: erasure(own.dynamo, TABLES, mustRead), step: async () => {}, pause };
      const erasing = defects.erase?.(eraseContext) ?? eraseContext;
      const erase = () => (whole ? eraseOrganization(ORG_ID, erasing) : eraseAssistant(SITE_ID, erasing));
      // The operator repeats what was interrupted. What is not found is deleted.
      const untilDone = (): Promise<unknown> =>
        erase().catch((error: unknown) => (error instanceof Refusal ? undefined : untilDone()));
      void untilDone().then(() => {
        done.deletion = world.steps;
        world.note('the deletion is done');
      });
    },
  );
  const names = Object.keys(requests);
  for (let count = 2 + world.choose(8); count > 0; count--) {
    const name = names[world.choose(names.length)] ?? '';
    const make = requests[name];
    // Many begin together with the deletion.
    if (make !== undefined) request(world.choose(world.oneIn(2) ? BEGIN_SECONDS : REQUESTS_SECONDS), name, make);
  }
  await world.run();

  if (done.deletion === Number.POSITIVE_INFINITY) return world.violated('the deletion never ends');
  const [id, kept] = whole ? [ORG_ID, 'DELETED'] : [SITE_ID, 'AUDIT#'];
  for (const table of [TABLES.configuration, TABLES.conversations, TABLES.deliveryLog])
    for (const item of tables.items(table)) {
      const { pk, sk } = item;
      const isLeft = table === TABLES.configuration ? JSON.stringify(item).includes(id) : pk !== 'DELETED';
      if (isLeft && !String(pk).startsWith(kept)) world.violated(`${table} has ${pk} ${sk} after the deletion`);
    }
}
