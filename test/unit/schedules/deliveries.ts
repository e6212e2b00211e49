import type { SQSBatchResponse } from 'aws-lambda';
import { eraseAssistant } from '../../../cli/operations/erase.ts';
import type { DynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { KEYS } from '../../../src/adapters/dynamodb/configuration-items.ts';
import {
  assistantOwners,
  batchedActionReads,
  subscriptionReads,
} from '../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../src/adapters/dynamodb/configuration-store.ts';
import { hitPerDay } from '../../../src/adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../../../src/adapters/dynamodb/delivery-log-table.ts';
import { partitionOf } from '../../../src/adapters/dynamodb/delivery-records.ts';
import { erasure } from '../../../src/adapters/dynamodb/erasure.ts';
import { failurePeriods } from '../../../src/adapters/dynamodb/failure-periods.ts';
import { members } from '../../../src/adapters/dynamodb/memberships.ts';
import { deliveriesQueue, type HideFor, messageHiding } from '../../../src/adapters/sqs/deliveries-queue.ts';
import { EVENT_ATTEMPTS, EVENT_RETRY_DELAYS_SECONDS } from '../../../src/contract/limits.ts';
import { type DeliveryMessage, deliveryMessage } from '../../../src/contract/queues.ts';
import type { AttemptKey, Context, EndpointAnswer, Hit, OutboundRequest, Send } from '../../../src/domain/context.ts';
import { deliverEvent } from '../../../src/domain/delivery/deliver-event.ts';
import { withinQuota } from '../../../src/domain/delivery/outbound-request.ts';
import { isRetried } from '../../../src/domain/delivery/outcome.ts';
import { routeMessage } from '../../../src/domain/events/route-event.ts';
import type { Fact } from '../../../src/domain/facts.ts';
import { setSuspended } from '../../../src/domain/organizations/suspension-and-quota.ts';
import type { Clock } from '../../../src/domain/sources.ts';
import { type Invoke, withinInvocation } from '../../../src/functions/invocation.ts';
import { queueBatches } from '../../../src/functions/sqs-batch.ts';
import { anEventAction, OPERATOR_AUTHOR, ORG_ID, SITE_ID } from '../../fakes/configuration.ts';
import { CONFIGURATION, storeOrganization } from '../../fakes/configuration-store.ts';
import { answered, mustRead, openSigningSecret, unanswered } from '../../fakes/delivery.ts';
import { Environment, Faults } from '../../fakes/environment.ts';
import { answersOf, MemoryQueue, memorySqsClient, type QueueMessage } from '../../fakes/queue.ts';
import { deleteAction, updateAction } from '../../fakes/saves.ts';
import { countingBytes, countingIds } from '../../fakes/sources.ts';
import { type MakeCall, MemoryTables, memoryDynamoDb } from '../../fakes/tables.ts';
import type { World } from '../../fakes/world.ts';
import { lambdaContext, sqsRecord } from '../lambdas/invocation.ts';

export type DispatcherContext = Omit<Parameters<typeof deliverEvent>[1], 'send' | 'publishFailing'>;
type RouterContext = Parameters<typeof routeMessage>[1];
type Erasure = ReturnType<typeof erasure>;
/** What one batch sends. */
type BatchContext = Context<'send' | 'queue'>;
/** Replaces parts of the code by faulty ones, to show that the schedules find them. */
export type DeliveryDefects = {
  readonly dispatcher?: (
    context: DispatcherContext,
    parts: { readonly dynamo: DynamoDb; readonly now: Clock },
  ) => DispatcherContext;
  readonly router?: (context: RouterContext) => RouterContext;
  readonly request?: (send: Send) => Send;
  readonly hitPerDay?: () => Hit;
  readonly erasure?: (erasure: Erasure) => Erasure;
  readonly batch?: (context: BatchContext) => BatchContext;
  /** What a function answers to Lambda. @param all the ids of the messages of the batch */
  readonly batchResult?: (response: SQSBatchResponse, all: readonly string[]) => SQSBatchResponse;
};

const LOG = 'log';
const COUNTERS = 'counters';
const ROUTER_SECONDS = 25;
const DISPATCHER_SECONDS = 15;
const EVENT = 'conversation.started';

/** The function that a queue invokes. */
type Kind = 'router' | 'dispatcher';

type Sent = {
  readonly attempt: number;
  readonly body: string;
  readonly environment: Environment;
  /** The step at which the handling of its message began, and the message. */
  readonly handling: string;
  /** The step at which it ended. */
  handled: number;
  endedAt: number;
  outcome: EndpointAnswer | undefined;
};

/** One run of events through the bus, the router, the queues and the dispatcher to the endpoints. */
export class Deliveries {
  readonly #world: World;
  readonly #faults: Faults;
  readonly #defects: DeliveryDefects;
  readonly #tables = new MemoryTables();
  readonly #queues: Readonly<Record<Kind, MemoryQueue>>;
  readonly #environments = { router: [] as RunningFunction[], dispatcher: [] as RunningFunction[] };
  readonly #sent = new Map<string, Sent[]>();
  /** When the bus accepted each event: in milliseconds of the world, and as the envelope says it. */
  readonly #accepted = new Map<string, { readonly at: number; readonly timestamp: string }>();
  readonly #unwritten = new Set<string>();
  readonly #actions: readonly { readonly id: string; readonly behaviour: number; readonly poisoned: boolean }[];
  /** The step at which an Action was disabled. */
  readonly #disabled = new Map<string, number>();
  /** The Actions whose deletion has begun. Nothing is recorded of what comes after it. */
  readonly #deleted = new Set<string>();
  readonly #open = new Set<{ readonly environment: Environment; readonly message: string }>();
  /** Requests that may leave in a day; null without a quota. */
  readonly #quota: number | null;
  /** Requests that could not be counted against the quota. */
  #uncounted = 0;
  #erasure: 'none' | 'begun' | 'done' = 'none';
  #clients = 0;

  constructor(world: World, defects: DeliveryDefects) {
    this.#world = world;
    this.#defects = defects;
    this.#faults = new Faults(world);
    const now = () => world.time;
    this.#queues = {
      router: new MemoryQueue({
        now,
        visibilitySeconds: 150,
        maxReceives: 4,
        describe: (body) => String(JSON.parse(body).id),
      }),
      dispatcher: new MemoryQueue({
        now,
        visibilitySeconds: 30,
        maxReceives: [5, 5, 2, 1][world.choose(4)] ?? 5,
        describe: describeDelivery,
      }),
    };
    this.#actions = Array.from({ length: 1 + world.choose(3) }, (_, index) => ({
      id: `act_${index + 1}`,
      behaviour: world.choose(BEHAVIOURS.length),
      poisoned: world.oneIn(12),
    }));
    this.#quota = world.oneIn(8) ? 1 + world.choose(3) : null;
  }

  async run(): Promise<void> {
    const world = this.#world;
    await this.#configure();
    const events = 1 + world.choose(2);
    for (let index = 1; index <= events; index++) {
      world.after(world.choose(3) * 1000, `the bus accepts event${index}`, () => this.#accept(`event${index}`));
    }
    if (world.oneIn(4)) this.#operate();
    await world.run(() => this.#disturb());
    this.#checkEnd();
  }

  /** Delivers events in rounds. Between two rounds, the world forgets the events, so that only the code can remember them. */
  async *rounds(events: number): AsyncGenerator<void> {
    await this.#configure();
    for (let count = 0; ; ) {
      for (let left = events; left > 0; left--) this.#accept(`event${++count}`);
      await this.#world.run();
      this.#checkEnd();
      this.#tables.clear(LOG);
      for (const known of [this.#sent, this.#accepted, this.#unwritten]) known.clear();
      yield;
    }
  }

  async #configure(): Promise<void> {
    const dispatchers = 1 + this.#world.choose(2);
    this.#environments.router.push(this.#router(0));
    for (let index = 0; index < dispatchers; index++) this.#environments.dispatcher.push(this.#dispatcher(index));
    const actions = this.#actions.map(({ id }) => anEventAction({ action_id: id, url: `https://crm.example/${id}` }));
    await storeOrganization(this.#tables, actions);
    for (const action of actions) {
      const poisoned = this.#actions.some((one) => one.id === action.action_id && one.poisoned);
      const stored = { ...action, daily_outbound_quota: this.#quota, ...(poisoned && { url: 7 }) };
      const Item = { ...KEYS.action(ORG_ID, action.action_id), action: stored };
      this.#tables.put({ TableName: CONFIGURATION, Item });
    }
  }

  #accept(id: string): void {
    const world = this.#world;
    const timestamp = world.clock().toISOString();
    this.#accepted.set(id, { at: world.time, timestamp });
    const detail = { org_id: ORG_ID, site_id: SITE_ID, data: { n: 1 } };
    const body = JSON.stringify({ id, 'detail-type': EVENT, time: timestamp, detail });
    const copies = this.#faults.now('delivered twice') ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) this.#queues.router.send(body);
    this.#poll('router');
  }

  /** An operator or an admin changes something beside the deliveries. */
  #operate(): void {
    const world = this.#world;
    const { id, poisoned } = this.#actions[world.choose(this.#actions.length)] ?? { id: '', poisoned: true };
    const operator = new Environment('operator', world, this.#faults);
    const dynamo = memoryDynamoDb(this.#tables, operator.call);
    const ports = {
      author: OPERATOR_AUTHOR,
      store: configurationStore(dynamo, CONFIGURATION),
      now: operator.now,
      randomBytes: countingBytes(),
      sealSigningSecret: async () => 'sealed',
      step: async () => {},
    };
    const tables = {
      configuration: CONFIGURATION,
      conversations: 'conversations',
      counters: COUNTERS,
      deliveryLog: LOG,
    };
    const erasePorts = {
      ...ports,
      members: members(dynamo, CONFIGURATION),
      erasure: this.#defects.erasure?.(erasure(dynamo, tables, mustRead)) ?? erasure(dynamo, tables, mustRead),
      pause: (delay: number) => new Promise<void>((resolve) => world.after(delay, () => 'the pause ends', resolve)),
    };
    const all = this.#actions.filter((one) => !one.poisoned).map((one) => one.id);
    const deletes = async () => {
      this.#deleted.add(id);
      await deleteAction(id, ports);
    };
    const changes = [
      { label: `disables ${id}`, of: [id], make: () => updateAction(id, { enabled: false }, ports) },
      { label: `deletes ${id}`, of: [id], make: deletes },
      { label: 'suspends the organization', of: all, make: () => setSuspended(ORG_ID, true, ports) },
      {
        label: 'erases the assistant',
        of: all,
        make: async () => {
          this.#erasure = 'begun';
          await eraseAssistant(SITE_ID, erasePorts);
          this.#erasure = 'done';
        },
      },
    ];
    const change = changes[world.choose(changes.length)];
    if (change === undefined || (change.of.includes(id) && poisoned)) return;
    world.after(world.choose(5) * 1000, `an operator ${change.label}`, () => {
      // It may have happened in part.
      for (const one of change.of) this.#disabled.set(one, Number.POSITIVE_INFINITY);
      change.make().then(
        () => {
          for (const one of change.of) this.#disabled.set(one, world.steps);
          world.note(`an operator ${change.label}: done`);
        },
        () => undefined,
      );
    });
  }

  #disturb(): void {
    const faults = this.#faults;
    if (faults.now('crash')) {
      const kind = this.#world.oneIn(4) ? 'router' : 'dispatcher';
      const all = this.#environments[kind];
      const index = this.#world.choose(all.length);
      all[index]?.environment.end();
      all[index] = kind === 'router' ? this.#router(index) : this.#dispatcher(index);
    }
    if (faults.now('clock jumps')) {
      const all = this.#environments.dispatcher;
      all[this.#world.choose(all.length)]?.environment.jump();
    }
  }

  #environment(name: string) {
    const environment = new Environment(name, this.#world, this.#faults);
    // Also a call whose answer is lost has changed the queue.
    const call: MakeCall = (...queueCall) => environment.call(...queueCall).finally(() => this.#poll('dispatcher'));
    const answer = answersOf(this.#queues.dispatcher, call, () => this.#faults.now('fails before'));
    const dynamo = memoryDynamoDb(this.#tables, environment.call);
    return { environment, dynamo, sqs: memorySqsClient(this.#clients++, answer) };
  }

  #router(index: number): RunningFunction {
    const { environment, dynamo, sqs } = this.#environment(`router${index + 1}`);
    const { now } = environment;
    const own: RouterContext = {
      subscriptions: {
        subscribersOf: subscriptionReads(dynamo, CONFIGURATION, now),
        hasAssistant: assistantOwners(dynamo, CONFIGURATION),
      },
      queue: deliveriesQueue(sqs, QUEUE_URL),
      deliveryLog: deliveryLog(dynamo, LOG, { retentionDays: 30, now }),
    };
    const context = this.#defects.router?.(own) ?? own;
    const hideFor: HideFor = async (receipt, seconds) => {
      await environment
        .call(`hide ${receipt} for ${seconds} s`, () => this.#queues.router.hide(receipt, seconds), true)
        .finally(() => this.#poll('router'));
    };
    const handler = queueBatches(
      this.#invoke(environment),
      (received, invocation) => routeMessage(received, context, invocation),
      hideFor,
    );
    return { environment, handler, seconds: ROUTER_SECONDS };
  }

  /** Runs invocations in an environment, and learns their facts. */
  #invoke({ now }: Environment): Invoke {
    const report = (fact: Fact) => {
      if (fact.kind === 'event_dropped') this.#world.violated(`the event of message ${fact.message_id} was dropped`);
      if (fact.kind === 'request_uncounted') this.#uncounted += 1;
      if (fact.kind === 'record_lost') this.#unwritten.add(nameOf(fact));
    };
    return (time, work) =>
      withinInvocation(time, (signal) => work({ signal, now, newId: countingIds(), reportFact: report }));
  }

  /** As lambdas/dispatcher wires it. */
  #dispatcher(index: number): RunningFunction {
    const world = this.#world;
    const { environment, dynamo, sqs } = this.#environment(`dispatcher${index + 1}`);
    const { now } = environment;
    const queue = deliveriesQueue(sqs, QUEUE_URL);
    const wired: DispatcherContext = {
      deliveryLog: deliveryLog(dynamo, LOG, { retentionDays: 30, now }),
      failurePeriods: failurePeriods(dynamo, { counters: COUNTERS, deliveryLog: LOG }),
      findAction: batchedActionReads(dynamo, CONFIGURATION),
      openSigningSecret,
      queue,
    };
    const own = this.#defects.dispatcher?.(wired, { dynamo, now }) ?? wired;
    const counted = withinQuota(this.#send(environment), this.#defects.hitPerDay?.() ?? hitPerDay(dynamo, COUNTERS));
    const ofBatch = { send: this.#defects.request?.(counted) ?? counted, queue: own.queue };
    const handler: RunningFunction['handler'] = (event, lambda) => {
      const batch = this.#defects.batch?.(ofBatch) ?? ofBatch;
      const deadline = world.time + lambda.getRemainingTimeInMillis();
      const handled = queueBatches(
        this.#invoke(environment),
        async (received, invocation) => {
          const began = world.steps;
          const message = deliveryMessage.parse(received.message);
          const { messageId } = received;
          const handling = `${began} ${messageId}`;
          const send: Send = ({ headers, ...request }, ...more) => {
            this.#checkReading(message.action_id, began);
            const marks = { ATTEMPT: nameOfAttempt(message), DEADLINE: String(deadline), HANDLING: handling };
            return batch.send({ ...request, headers: { ...headers, ...marks } }, ...more);
          };
          const open = { environment, message: messageId };
          this.#open.add(open);
          const context = { ...own, ...batch, send, publishFailing: async () => {} };
          await deliverEvent({ message, messageId }, context, invocation).finally(() => this.#open.delete(open));
          for (const sent of this.#sent.get(`${message.envelope.id} ${message.action_id}`) ?? [])
            if (sent.handling === handling && sent.attempt === message.attempt) sent.handled = world.steps;
        },
        messageHiding(sqs, QUEUE_URL),
      );
      return handled(event, lambda);
    };
    return { environment, handler, seconds: DISPATCHER_SECONDS };
  }

  #send(environment: Environment): Send {
    return (request, _policy, { signal }) =>
      environment.request(request.headers.ATTEMPT ?? '', signal, () => {
        const sent = this.#receive(request, environment, Number(request.headers.DEADLINE));
        const { outcome, seconds } = this.#answer(request);
        const over = () => {
          sent.endedAt = Math.min(sent.endedAt, this.#world.time);
          sent.outcome = outcome;
        };
        return { outcome, seconds, over };
      });
  }

  #answer({ url }: OutboundRequest): { readonly outcome: EndpointAnswer; readonly seconds: number } {
    const action = this.#actions.find(({ id }) => url.endsWith(id));
    const possible = BEHAVIOURS[action?.behaviour ?? 0] ?? [];
    return possible[this.#world.choose(possible.length)] ?? OK;
  }

  /** Checks a request that reaches an endpoint. */
  #receive(request: OutboundRequest, environment: Environment, deadline: number): Sent {
    const world = this.#world;
    const name = request.headers.ATTEMPT ?? '';
    const [event = '', actionId = '', number = ''] = name.split(' ');
    const attempt = Number(number);
    const delivery = `${event} ${actionId}`;
    const all = this.#sent.get(delivery) ?? [];
    this.#sent.set(delivery, all);
    const same = all.filter((one) => one.attempt === attempt);
    const record = this.#record(event, actionId, attempt);
    if (record === undefined) world.violated(`the request ${name} has no record`);
    else if (Number(record.sends) < same.length + 1)
      world.violated(`the record of ${name} does not tell of all its requests`);
    if (world.time > deadline) world.violated(`the request ${name} was sent after the deadline of its invocation`);
    const handling = request.headers.HANDLING ?? '';
    const began = Number.parseInt(handling, 10);
    if (same.some(({ handled }) => handled < began) && !this.#unwritten.has(name))
      world.violated(`the request ${name} was repeated after its attempt was handled`);
    if (same.length > 0 && this.#faults.happened.size === 0)
      world.violated(`the request ${name} was repeated without a fault`);
    if (
      !this.#faults.happened.has('clock jumps') &&
      same.some((one) => one.environment.alive && one.endedAt > world.time)
    ) {
      world.violated(`two requests ${name} at the same time`);
    }
    const body = String(request.body === null ? '' : Buffer.from(request.body));
    if (all.some((one) => one.body !== body)) world.violated(`the request ${name} has other bytes than the one before`);
    if (attempt > EVENT_ATTEMPTS) world.violated(`the request ${name} is one too many`);
    if (attempt > 1) {
      const failures = all.filter((one) => one.attempt === attempt - 1 && one.outcome !== undefined);
      const earliest = Math.min(...failures.map(({ endedAt }) => endedAt));
      const due = earliest + 1000 * (EVENT_RETRY_DELAYS_SECONDS[attempt - 2] ?? 0);
      if (failures.length === 0) world.violated(`the request ${name} follows no failure`);
      else if (world.time < due) world.violated(`the request ${name} is ${due - world.time} ms too early`);
      else if (world.time > due + 100 && this.#faults.happened.size === 0)
        world.violated(`the request ${name} is ${world.time - due} ms late`);
    } else if (this.#faults.happened.size === 0) {
      const at = this.#accepted.get(event)?.at ?? 0;
      if (world.time > at + 100) world.violated(`the request ${name} is ${world.time - at} ms late`);
    }
    if (
      all.some((one) => one.attempt > attempt) &&
      !this.#faults.happened.has('clock jumps') &&
      !this.#unwritten.has(name)
    ) {
      world.violated(`the request ${name} was sent after a later attempt`);
    }
    const endedAt = Math.max(deadline, world.time);
    const handled = Number.POSITIVE_INFINITY;
    const sent: Sent = { attempt, body, environment, handling, handled, endedAt, outcome: undefined };
    all.push(sent);
    if (this.#quota !== null && this.#requests() > this.#quota + this.#uncounted)
      world.violated(`the request ${name} is beyond the quota`);
    return sent;
  }

  #requests(): number {
    return [...this.#sent.values()].reduce((sum, requests) => sum + requests.length, 0);
  }

  #checkReading(actionId: string, began: number): void {
    const disabled = this.#disabled.get(actionId);
    if (disabled !== undefined && began > disabled)
      this.#world.violated(`a request to ${actionId} that was disabled before its reading`);
  }

  #record(event: string, actionId: string, attempt: number) {
    const sk = `${this.#accepted.get(event)?.timestamp}#${event}#${attempt}`;
    return this.#tables.get(LOG, { pk: partitionOf(actionId, event), sk });
  }

  readonly #polls = new Set<string>();
  readonly #redriven = new Set<Kind>();

  /** Polls a queue now and when its hidden messages become visible. */
  #poll(kind: Kind): void {
    const world = this.#world;
    for (const time of new Set(this.#queues[kind].messages.map(({ visibleAt }) => visibleAt))) {
      const at = Math.max(time, world.time);
      const name = `${kind} ${at}`;
      if (this.#polls.has(name)) continue;
      this.#polls.add(name);
      world.after(at - world.time, `${kind} is polled`, () => {
        this.#polls.delete(name);
        this.#receiveBatch(kind);
      });
    }
  }

  /** What Lambda's event source mapping does. */
  #receiveBatch(kind: Kind): void {
    const queue = this.#queues[kind];
    const world = this.#world;
    const visible = [...queue.visible()];
    this.#redrive(kind);
    if (visible.length === 0) {
      this.#poll(kind);
      return;
    }
    const size = Math.min(10, visible.length) - world.choose(Math.min(10, visible.length));
    const batch: QueueMessage[] = [];
    while (batch.length < size) {
      const [message] = visible.splice(world.choose(visible.length), 1);
      if (message === undefined) continue;
      batch.push(queue.receive(message, this.#faults.now('delivered twice') ? world.choose(5) : undefined));
    }
    const all = this.#environments[kind];
    const target = all[world.choose(all.length)];
    this.#poll(kind);
    if (target === undefined) return;
    world.note(
      () =>
        `${target.environment.name} receives ${batch.map(({ id, body }) => `${id} ${queue.describe(body)}`).join(', ')}`,
    );
    const deadline = world.time + target.seconds * 1000;
    const context = { ...lambdaContext(), getRemainingTimeInMillis: () => deadline - world.time };
    const Records = batch.map(({ id, body, ...received }) => sqsRecord(id, body, received));
    target.handler({ Records }, context).then(
      (response) => {
        const { batchItemFailures } =
          this.#defects.batchResult?.(
            response,
            batch.map(({ id }) => id),
          ) ?? response;
        if (!target.environment.alive || world.time >= deadline) return;
        const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        if (this.#faults.happened.size === 0) this.#checkHealthy(batch, failed);
        for (const { id, receipt } of batch) {
          if (!failed.has(id) && !this.#faults.now('deletion is lost')) queue.delete(receipt);
        }
      },
      (error: unknown) => world.violated(`a batch failed as a whole: ${error}`),
    );
  }

  /** What AWS's own redrive does: the bodies of the dead letters in messages with new ids, once in a schedule. */
  #redrive(kind: Kind): void {
    const { world, queue } = { world: this.#world, queue: this.#queues[kind] };
    if (this.#redriven.has(kind) || queue.deadLetters.length === 0 || world.oneIn(3)) return;
    this.#redriven.add(kind);
    world.after(world.choose(4) * 10_000, `an operator moves the dead letters of the ${kind} back`, () => {
      for (const { body } of queue.deadLetters.splice(0)) queue.send(body);
      this.#poll(kind);
    });
  }

  /** Without a fault, only messages of an Action that cannot be read fail. */
  #checkHealthy(batch: readonly QueueMessage[], failed: ReadonlySet<string>): void {
    for (const { id, body } of batch) {
      const poisoned = this.#actions.some((action) => action.poisoned && body.includes(`"${action.id}"`));
      if (failed.has(id) && !poisoned) this.#world.violated(`the message ${id} failed without a fault of its own`);
    }
  }

  #checkEnd(): void {
    const world = this.#world;
    for (const { environment, message } of this.#open) {
      if (environment.alive) world.violated(`the handling of message ${message} never ends`);
    }
    if (this.#erasure === 'begun') return;
    if (this.#erasure === 'done') {
      for (const { pk, sk, ...record } of this.#tables.items(LOG)) {
        if ('payload' in record) world.violated(`the payload of ${pk} ${sk} is logged after its erasure`);
      }
      return;
    }
    for (const id of this.#accepted.keys()) {
      if (this.#queues.router.deadLetters.some(({ body }) => body.includes(`"${id}"`))) continue;
      for (const action of this.#actions) this.#checkDelivery(id, action);
    }
  }

  #checkDelivery(event: string, { id, poisoned }: { readonly id: string; readonly poisoned: boolean }): void {
    const world = this.#world;
    const name = `${event} ${id}`;
    const queued = [...this.#queues.dispatcher.deadLetters, ...this.#queues.dispatcher.messages].some(
      ({ body }) => body.includes(`"id":"${event}"`) && body.includes(`"action_id":"${id}"`),
    );
    const records = [];
    for (let attempt = 1; attempt <= EVENT_ATTEMPTS + 1; attempt++) {
      const record = this.#record(event, id, attempt);
      if (record !== undefined) records.push({ attempt, ...record });
    }
    for (const record of records) {
      const { attempt, record_state } = { record_state: '', ...record };
      const requests = (this.#sent.get(name) ?? []).filter((one) => one.attempt === attempt);
      if (record_state === 'succeeded' && !requests.some(({ outcome }) => outcome?.success)) {
        world.violated(`the record of ${name} ${attempt} tells of a success that did not happen`);
      }
      const isHandled = requests.some(({ handled }) => handled < Number.POSITIVE_INFINITY);
      const isExcused = this.#unwritten.has(`${name} ${attempt}`) || this.#faults.happened.has('clock jumps');
      if (isHandled && !isExcused && OFF.has(codeOf(record)))
        world.violated(`the record of ${name} ${attempt} tells of no request, though one was made`);
      if (Number({ sends: 0, ...record }.sends) > 1 && this.#faults.happened.size === 0) {
        world.violated(`the record of ${name} ${attempt} counts a request that did not happen`);
      }
    }
    if (queued || this.#deleted.has(id)) return;
    const last = records.at(-1);
    if (last === undefined) {
      if (!this.#disabled.has(id) || poisoned) world.violated(`${name} is nowhere`);
      return;
    }
    if (records.length !== last.attempt) world.violated(`${name} has no record of an attempt before ${last.attempt}`);
    const { record_state, error, status } = { record_state: '', error: null, status: null, ...last };
    if (record_state === 'started' && !this.#unwritten.has(`${name} ${last.attempt}`))
      world.violated(`${name} ${last.attempt} never ended`);
    if (record_state !== 'failed' || last.attempt === EVENT_ATTEMPTS || error === null) return;
    const { code } = Object.assign({ code: 'internal_error' as const }, error);
    if (String(code) === 'quota_exceeded' && this.#faults.happened.size === 0 && this.#requests() !== this.#quota)
      world.violated(`${name} was not sent, though its organization has sent less than its quota`);
    if (isRetried(code, status)) world.violated(`the retry after ${name} ${last.attempt} is nowhere`);
  }
}

/** Why an attempt of an Action is not made. */
const OFF: ReadonlySet<unknown> = new Set(['action_disabled', 'organization_suspended', 'action_deleted']);
const codeOf = (record: object): unknown =>
  'error' in record && record.error instanceof Object && 'code' in record.error ? record.error.code : undefined;

type RunningFunction = {
  readonly environment: Environment;
  readonly handler: ReturnType<typeof queueBatches>;
  /** The function's timeout. */
  readonly seconds: number;
};

const QUEUE_URL = 'https://sqs.eu-central-1.amazonaws.com/000000000000/deliveries';

const OK = { outcome: answered(200), seconds: 0 };
const LATE = { outcome: answered(200), seconds: 4 };
const BROKEN = { outcome: answered(500), seconds: 0 };
const HANGS = { outcome: unanswered('timeout'), seconds: 5 };
const CLOSES = { outcome: unanswered('connection_closed'), seconds: 1 };
const REFUSES = { outcome: answered(404), seconds: 0 };
/** How endpoints answer: each request with one of these. */
export const BEHAVIOURS = [
  [OK],
  [OK, BROKEN],
  [BROKEN, CLOSES],
  [HANGS],
  [REFUSES],
  [OK, LATE, BROKEN, HANGS, CLOSES, REFUSES],
];

function describeDelivery(body: string): string {
  const message = deliveryMessage.parse(JSON.parse(body));
  return `${message.unrecorded_result !== undefined ? 'the record of ' : ''}${nameOfAttempt(message)}`;
}

/** Names an attempt in the steps of a schedule. */
export const nameOf = ({ reference, action_id, attempt }: Pick<AttemptKey, 'reference' | 'action_id' | 'attempt'>) =>
  `${reference} ${action_id} ${attempt}`;
const nameOfAttempt = (message: Pick<DeliveryMessage, 'action_id' | 'attempt' | 'envelope'>) =>
  nameOf({ ...message, reference: message.envelope.id });
