import { type ServiceInputTypes, SNSClient } from '@aws-sdk/client-sns';
import type { DynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { KEYS } from '../../../src/adapters/dynamodb/configuration-items.ts';
import { configurationReads } from '../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../src/adapters/dynamodb/conversations-table.ts';
import { rateLimits } from '../../../src/adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../../../src/adapters/dynamodb/delivery-log-table.ts';
import { inFlightLeases } from '../../../src/adapters/dynamodb/in-flight-leases.ts';
import { escalationChannels } from '../../../src/adapters/escalation-topics.ts';
import {
  ACTIONS_PER_ORGANIZATION,
  AI_CALLS_PER_CONVERSATION,
  FORM_SUBMISSIONS_PER_MINUTE,
  SESSION_CREATE_PER_MINUTE,
} from '../../../src/contract/limits.ts';
import { callTool } from '../../../src/domain/actions/call-tool.ts';
import { submitForm } from '../../../src/domain/actions/submit-form.ts';
import { identifyWidget } from '../../../src/domain/auth/authenticate-widget.ts';
import { createSession } from '../../../src/domain/auth/create-session.ts';
import { newServerSecret, storedServerSecret } from '../../../src/domain/auth/server-secret.ts';
import type { Context, Send } from '../../../src/domain/context.ts';
import { type TakeLease, withinInFlight } from '../../../src/domain/delivery/outbound-request.ts';
import type { Fact, Invocation } from '../../../src/domain/facts.ts';
import { setSuspended } from '../../../src/domain/organizations/suspension-and-quota.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { withinInvocation } from '../../../src/functions/invocation.ts';
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
import { answered, openSigningSecret, unanswered } from '../../fakes/delivery.ts';
import { Environment, Faults } from '../../fakes/environment.ts';
import { memoryClients } from '../../fakes/memory-clients.ts';
import { createAction, deleteAction, updateAction } from '../../fakes/saves.ts';
import { countingBytes, countingIds } from '../../fakes/sources.ts';
import { MemoryTables, memoryDynamoDb } from '../../fakes/tables.ts';
import { aConversation, fakeTokens, siteIdCredentials } from '../../fakes/widget.ts';
import type { World } from '../../fakes/world.ts';

export type ToolContext = Parameters<typeof callTool>[1];
export type SessionContext = Parameters<typeof createSession>[1];
export type FormContext = Parameters<typeof submitForm>[1];

/** Replaces parts of the code by faulty ones, to show that the schedules find them. */
export type LimitDefects = {
  readonly tool?: (context: ToolContext, dynamo: DynamoDb) => ToolContext;
  readonly session?: (context: SessionContext) => SessionContext;
  readonly form?: (context: FormContext) => FormContext;
  readonly lease?: (takeLease: TakeLease, dynamo: DynamoDb) => TakeLease;
  /** The tables of the dashboard. */
  readonly dashboard?: (dynamo: DynamoDb) => DynamoDb;
};

const CONVERSATIONS = 'conversations';
const COUNTERS = 'counters';
const LOG = 'log';
const MINUTE_MS = 60_000;
/** Timeout of the functions that make one attempt. */
const TIMEOUT_MS = 15_000;
const PLACES = 2;
const CONVERSATION = 'conversation1';
const IP = '203.0.113.7';
const VISITOR = siteIdCredentials({ ip: IP });

/** One organization in memory, with environments that answer requests for it. */
class Site {
  readonly world: World;
  readonly faults: Faults;
  readonly tables = new MemoryTables();
  readonly newId = countingIds();
  readonly randomBytes = countingBytes();
  readonly #environments: Environment[];

  constructor(world: World) {
    this.world = world;
    this.faults = new Faults(world);
    this.#environments = Array.from({ length: 1 + world.choose(3) }, (_, index) => this.#environment(index));
  }

  /** Makes `count` requests in the first `seconds`, each in one of the environments. */
  request(
    count: number,
    seconds: number,
    make: (environment: Environment, index: number, invocation: Invocation) => Promise<void>,
    report: (fact: Fact) => void = () => {},
  ): void {
    for (let index = 0; index < count; index++) {
      this.world.after(this.world.choose(seconds + 1) * 1000, `request ${index + 1} arrives`, () => {
        const environment = this.#environments[this.world.choose(this.#environments.length)];
        if (environment === undefined) return;
        const { now } = environment;
        void this.#invoke((signal) => make(environment, index, { signal, now, newId: this.newId, reportFact: report }));
      });
    }
  }

  #invoke(work: (ended: AbortSignal) => Promise<void>): Promise<void> {
    return withinInvocation({ getRemainingTimeInMillis: () => TIMEOUT_MS }, work).catch(() => undefined);
  }

  /** The clocks of the environments have agreed. */
  get clocksAgreed(): boolean {
    return !this.faults.happened.has('clock jumps');
  }

  run(): Promise<void> {
    return this.world.run(() => {
      const position = this.world.choose(this.#environments.length);
      if (this.faults.now('crash')) {
        this.#environments[position]?.end();
        this.#environments[position] = this.#environment(position);
      }
      if (this.faults.now('clock jumps')) this.#environments[position]?.jump();
    });
  }

  /** An endpoint, which calls `received` for each request, and `ended` when it ends. */
  outbound(environment: Environment, received: (reference: string) => void, ended: () => unknown = () => {}): Send {
    return ({ headers }, _policy, { signal }) => {
      const reference = headers['X-Service-Trigger-Ref'] ?? '';
      const receive = () => {
        received(reference);
        const outcome = [answered(200), answered(500), unanswered('timeout')][this.world.choose(3)] ?? answered(200);
        const seconds = outcome.status === null ? 5 : this.world.choose(3);
        return { outcome, seconds, over: () => signal.aborted || ended() };
      };
      return environment.request(reference, signal, receive, ended);
    };
  }

  attemptContext(environment: Environment, dynamo: DynamoDb): Context<'openSigningSecret' | 'deliveryLog'> {
    return { openSigningSecret, deliveryLog: deliveryLog(dynamo, LOG, { retentionDays: 30, now: environment.now }) };
  }

  #environment(index: number): Environment {
    return new Environment(`function${index + 1}`, this.world, this.faults);
  }
}

/** Never a sixth call of an AI-decided Action in a conversation, and none after the Action was disabled. */
export async function calls(world: World, defects: LimitDefects = {}): Promise<void> {
  const site = new Site(world);
  const action = anAiAction();
  await storeOrganization(site.tables, [action]);
  const portsOf = perEnvironment((environment) => {
    const dynamo = memoryDynamoDb(site.tables, environment.call);
    const own = {
      ...site.attemptContext(environment, dynamo),
      configuration: configurationReads(dynamo, CONFIGURATION),
      conversations: conversations(dynamo, CONVERSATIONS, environment.now),
    };
    return { dynamo, own };
  });
  let [requests, completed] = [0, 0];
  let disabledAt = Number.POSITIVE_INFINITY;
  const count = 4 + world.choose(6);
  site.request(count, 3, async (environment, _, invocation) => {
    const began = world.steps;
    const { dynamo, own } = portsOf(environment);
    const send = site.outbound(environment, () => {
      requests += 1;
      if (requests > AI_CALLS_PER_CONVERSATION) world.violated('a sixth call of the Action');
      if (began > disabledAt) world.violated('a call of an Action that was disabled before it was read');
    });
    const context = { ...own, send };
    const call = { site_id: SITE_ID, conversation_id: CONVERSATION, tool: action.slug, arguments: {} };
    const { outcome } = await callTool(call, defects.tool?.(context, dynamo) ?? context, invocation);
    if (outcome === 'completed') completed += 1;
  });
  if (world.oneIn(3)) {
    const operator = new Environment('operator', world, site.faults);
    const store = configurationStore(memoryDynamoDb(site.tables, operator.call), CONFIGURATION);
    const ports = {
      author: OPERATOR_AUTHOR,
      store,
      now: operator.now,
      randomBytes: site.randomBytes,
      sealSigningSecret: async () => 'sealed',
    };
    world.after(1000, 'an admin disables the Action', () => {
      updateAction(action.action_id, { enabled: false }, ports).then(
        () => {
          disabledAt = world.steps;
        },
        () => undefined,
      );
    });
  } else {
    await site.run();
    if (site.faults.happened.size === 0 && requests !== Math.min(count, AI_CALLS_PER_CONVERSATION)) {
      world.violated(`${requests} of ${count} calls were made`);
    }
  }
  await site.run();
  if (completed > requests) world.violated('a call completed that was not made');
}

/** Never a 21st session from an address in a minute. */
export async function sessions(world: World, defects: LimitDefects = {}): Promise<void> {
  const site = new Site(world);
  const secret = newServerSecret(SITE_ID, site.randomBytes);
  const server_secret = storedServerSecret(secret);
  await storeOrganization(site.tables, [], anAssistant({ server_secret }));
  const accepted: number[] = [];
  const refused: number[] = [];
  const portsOf = perEnvironment((environment) => {
    const dynamo = memoryDynamoDb(site.tables, environment.call);
    const own: SessionContext = {
      configuration: configurationReads(dynamo, CONFIGURATION),
      counters: rateLimits(dynamo, COUNTERS),
      tokens: fakeTokens(),
    };
    return defects.session?.(own) ?? own;
  });
  site.request(
    SESSION_CREATE_PER_MINUTE - 2 + world.choose(10),
    world.choose(80),
    async (environment, _, invocation) => {
      const at = world.time;
      try {
        await createSession({ serverKey: secret, ip: IP, readBody: () => ({}) }, portsOf(environment), invocation);
        accepted.push(at);
      } catch (error) {
        if (error instanceof Refusal) refused.push(at);
        else throw error;
      }
    },
  );
  await site.run();
  if (site.clocksAgreed) checkWindow(world, accepted, SESSION_CREATE_PER_MINUTE, 'sessions');
  if (site.faults.happened.size > 0) return;
  for (const at of refused) {
    const before = accepted.filter((one) => one > at - MINUTE_MS && one <= at).length;
    if (before < SESSION_CREATE_PER_MINUTE) world.violated(`a session was refused after ${before} in a minute`);
  }
}

/** Never an 11th submission in a minute, and one submission for each key of a client. */
export async function forms(world: World, defects: LimitDefects = {}): Promise<void> {
  const site = new Site(world);
  const form = aFormAction();
  const assistant = anAssistant({ escalation_topics: TOPICS.slice(0, world.choose(3)) });
  await storeOrganization(site.tables, [form], assistant);
  const kept = conversations(memoryDynamoDb(site.tables), CONVERSATIONS, () => world.clock());
  await kept.saveConversation(aConversation({ conversation_id: CONVERSATION }));
  /** Ids of submissions that a topic or the endpoint has accepted. */
  const published = new Set<string>();
  const acceptedOnce = new Set<string>();
  let clients = 0;
  const portsOf = perEnvironment((environment) => {
    const dynamo = memoryDynamoDb(site.tables, environment.call);
    const client = topicClients(clients++, (input) => {
      if (!('Message' in input)) throw new Error('The fake does not know this call');
      const id: string = JSON.parse(input.Message ?? '').submission_id;
      return environment.call(`publish ${id}`, () => published.add(id) && {}, true);
    });
    return {
      ...site.attemptContext(environment, dynamo),
      configuration: configurationReads(dynamo, CONFIGURATION),
      conversations: conversations(dynamo, CONVERSATIONS, environment.now),
      counters: rateLimits(dynamo, COUNTERS),
      tokens: fakeTokens(),
      escalate: escalationChannels(client),
    };
  });
  /** When the requests arrived that reached the endpoint. */
  const passed: number[] = [];
  const submitted = new Map<string, string>();
  const open = new Set<string>();
  const unsettled = new Set<string>();
  const report = (fact: Fact) => {
    if (fact.kind === 'submission_unsettled') unsettled.add(fact.submission_id);
  };
  const submit = async (environment: Environment, index: number, invocation: Invocation) => {
    const at = world.time;
    const client_key = index < 4 ? `key${index % 2}` : null;
    const { escalate, ...others } = portsOf(environment);
    let known = false;
    const sent = site.outbound(
      environment,
      (id) => {
        passed.push(at);
        if (client_key === null) return;
        if (submitted.get(client_key) === id && site.clocksAgreed && !unsettled.has(id))
          world.violated(`${id} was sent again after it was accepted`);
        if (open.has(client_key) && site.clocksAgreed) world.violated(`two requests of ${client_key} at the same time`);
        open.add(client_key);
      },
      () => client_key !== null && open.delete(client_key),
    );
    const own: FormContext = {
      ...others,
      escalate: async (...submission) => {
        const result = await escalate(...submission);
        if (result === 'accepted') known = true;
        return result;
      },
      send: async (...request) => {
        const outcome = await sent(...request);
        if (outcome.success) {
          known = true;
          acceptedOnce.add(request[0].headers['X-Service-Trigger-Ref'] ?? '');
        }
        return outcome;
      },
    };
    const context = defects.form?.(own) ?? own;
    const values = { email: 'a@b.example' };
    const readBody = () => ({ conversation_id: CONVERSATION, values, client_key });
    const widget = await identifyWidget(VISITOR, { configuration: others.configuration, tokens: others.tokens });
    const request = { siteId: SITE_ID, slug: form.slug, widget, readBody };
    const { submission_id } = await submitForm(request, context, invocation).catch((error: unknown) => {
      if (known && environment.alive) world.violated('a submission failed though somebody accepted it');
      throw error;
    });
    if (!published.has(submission_id) && !acceptedOnce.has(submission_id))
      world.violated(`${submission_id} succeeded though nobody accepted it`);
    const before = client_key === null ? undefined : submitted.get(client_key);
    if (before !== undefined && before !== submission_id) world.violated(`${client_key} has two submissions`);
    if (client_key !== null) submitted.set(client_key, submission_id);
  };
  site.request(4 + world.choose(10), world.choose(70), submit, report);
  await site.run();
  if (site.clocksAgreed) checkWindow(world, passed, FORM_SUBMISSIONS_PER_MINUTE, 'submissions');
}

/** Never more requests of an organization in flight than it has places, and each place is free again. */
export async function inFlight(world: World, defects: LimitDefects = {}): Promise<void> {
  const site = new Site(world);
  const open = new Set<number>();
  let uncounted = 0;
  const leaseOf = perEnvironment((environment) => {
    const dynamo = memoryDynamoDb(site.tables, environment.call);
    const takeLease = inFlightLeases(dynamo, COUNTERS, PLACES, world.choose);
    return defects.lease?.(takeLease, dynamo) ?? takeLease;
  });
  const report = ({ kind }: Fact) => {
    if (kind === 'request_uncounted') uncounted += 1;
  };
  const request = {
    method: 'GET',
    withheldTexts: [],
    url: 'https://crm.example/',
    headers: {},
    body: null,
  } as const;
  const make = async (environment: Environment, index: number, invocation: Invocation) => {
    const send = site.outbound(
      environment,
      () => {
        open.add(index);
        if (open.size > PLACES + uncounted && site.clocksAgreed) world.violated(`${open.size} requests in flight`);
      },
      () => open.delete(index),
    );
    await withinInFlight(send, leaseOf(environment))(request, { inFlightOf: ORG_ID }, invocation);
  };
  site.request(3 + world.choose(8), world.choose(30), make, report);
  await site.run();
  if (site.faults.happened.size > 0) return;
  const places = site.tables.get(COUNTERS, { pk: `in-flight#${ORG_ID}` }) ?? {};
  if (Object.entries(places).some(([name, until]) => /^s\d/.test(name) && until !== 0))
    world.violated('a place is not free again');
}

/** Never a 51st Action, an exact count of them, and no Action that a suspension misses. */
export async function actions(world: World, defects: LimitDefects = {}): Promise<void> {
  const before = ACTIONS_PER_ORGANIZATION - 1 - world.choose(3);
  const site = new Site(world);
  const existing = Array.from({ length: before }, (_, index) => anEventAction({ action_id: `act_${index + 1}` }));
  await storeOrganization(site.tables, existing);
  const portsOf = perEnvironment((environment) => {
    const dynamo = memoryDynamoDb(site.tables, environment.call);
    const store = configurationStore(defects.dashboard?.(dynamo) ?? dynamo, CONFIGURATION);
    const sealSigningSecret = async () => 'sealed';
    return {
      author: OPERATOR_AUTHOR,
      store,
      now: environment.now,
      randomBytes: site.randomBytes,
      sealSigningSecret,
      step: async () => {},
    };
  });
  const stored = () =>
    [...site.tables.items(CONFIGURATION)].filter(
      ({ pk, sk }) => pk === `ORG#${ORG_ID}` && String(sk).startsWith('ACTION#'),
    );
  let suspended = false;
  site.request(3 + world.choose(3), 1, async (environment, index) => {
    const ports = portsOf(environment);
    if (index === 0 && world.oneIn(2)) await deleteAction('act_1', ports);
    else if (index === 1 && world.oneIn(2)) {
      await setSuspended(ORG_ID, true, ports);
      suspended = true;
    } else {
      const trigger =
        index % 2 === 0 ? { trigger: 'Event', events: ['message.sent'] } : { trigger: 'Form', form_fields: [] };
      await createAction(SITE_ID, { ...trigger, name: `New ${index % 3}`, url: 'https://crm.example/' }, ports);
    }
    if (stored().length > ACTIONS_PER_ORGANIZATION) world.violated('a 51st Action');
  });
  await site.run();
  const count = site.tables.get(CONFIGURATION, KEYS.organization(ORG_ID))?.action_count;
  if (count !== stored().length) world.violated(`${stored().length} Actions are counted as ${count}`);
  if (count !== undefined && Number(count) > ACTIONS_PER_ORGANIZATION) world.violated('a 51st Action');
  if (suspended && !stored().every(({ action }) => Object(action).suspended === true)) {
    world.violated('the suspension of the organization misses an Action');
  }
}

const TOPICS = ['a', 'b'].map((name) => `arn:aws:sns:eu-central-1:000000000000:va-wave-escalation-${name}`);

const topicClients = memoryClients<ServiceInputTypes, SNSClient>((settings) => new SNSClient(settings));

/** Creates something once for each environment, as a function does when it starts. */
function perEnvironment<Value>(create: (environment: Environment) => Value): (environment: Environment) => Value {
  const created = new Map<Environment, Value>();
  return (environment) => {
    const known = created.get(environment) ?? create(environment);
    created.set(environment, known);
    return known;
  };
}

function checkWindow(world: World, times: readonly number[], limit: number, what: string): void {
  const sorted = times.toSorted((a, b) => a - b);
  const beyond = sorted.find((at, index) => at - (sorted[index - limit] ?? Number.NEGATIVE_INFINITY) < MINUTE_MS);
  if (beyond !== undefined) world.violated(`more than ${limit} ${what} in the minute before ${beyond / 1000} s`);
}
