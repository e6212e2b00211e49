import type { Deployment, LogName } from '../../../cli/deployment.ts';
import type { AccountState, Target } from '../../../cli/process.ts';
import type { LogLine, LogQuery } from '../../../src/adapters/aws-account.ts';
import { erasure } from '../../../src/adapters/dynamodb/erasure.ts';
import type { Action } from '../../../src/contract/actions.ts';
import type { TestResult } from '../../../src/contract/dashboard.ts';
import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import type { CatalogEvent } from '../../../src/contract/events.ts';
import type { DeliveryMessage } from '../../../src/contract/queues.ts';
import type { Login } from '../../../src/domain/context.ts';
import { OPERATOR_AUTHOR } from '../../fakes/configuration.ts';
import { CONFIGURATION, memoryConfiguration } from '../../fakes/configuration-store.ts';
import { mustRead } from '../../fakes/delivery.ts';
import { InMemoryRing } from '../../fakes/ring.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';
import { capturedRun, type Ended } from './captured-run.ts';

/** A deployment in memory, and an operator who runs commands on it. */
export class FakeOperator {
  readonly clock = new FrozenClock();
  readonly store = memoryConfiguration(undefined, this.clock.now);
  readonly events: CatalogEvent[] = [];
  /** The logins of the user pool. */
  readonly logins: Login[] = [];
  /** The records of every log, the newest first. */
  records: DeliveryRecord[] = [];
  unreadableRecords: { cause: Error }[] = [];
  readonly logsRead: string[] = [];
  testResult: TestResult | Error = new Error('Nothing to test');
  /** The inputs of the assistant runtime's functions, and their answer. */
  readonly runtimeInputs: object[] = [];
  runtimeAnswer: object | Error = {};
  /** The targets of the commands, in order. */
  readonly targets: Target[] = [];
  /** Names of the stacks of `cdk bootstrap` that `doctor` asked for. */
  readonly toolkits: string[] = [];
  connectFails: Error | undefined;

  readonly tokenRing = new InMemoryRing([
    { kid: 'k2', key: 'y'.repeat(64), active_from: 1 },
    { kid: 'k1', key: 'x'.repeat(64) },
  ]);
  readonly sealingRing = new InMemoryRing([{ kid: 'k1', key: 'x'.repeat(64) }]);
  readonly originSecrets: string[] = [];
  /** The records that eventTime and eventAttempts find. */
  attempts: DeliveryRecord[] = [];
  readonly sentDeliveries: DeliveryMessage[] = [];
  readonly deadLetters = { events: new InMemoryDeadLetters(), deliveries: new InMemoryDeadLetters() };

  /** The queries of logs, and the lines of every log. */
  readonly logQueries: (LogQuery & { readonly name: LogName })[] = [];
  logLines: LogLine[] = [];
  account: AccountState = {
    region: 'eu-west-1',
    concurrency: 1000,
    tableWriteUnits: 40_000,
    toolkit: 'CREATE_COMPLETE',
    stack: undefined,
    version: undefined,
  };

  terminal = false;
  colour = false;
  /** Width of the terminal. */
  columns: number | undefined;
  environment: Record<string, string> = {};
  files: Readonly<Record<string, string>> = {};
  stdin = '';
  /** The operator's answer to a question. A function is what happens meanwhile. */
  answer: string | (() => Promise<string>) = '';
  readonly questions: string[] = [];
  /** Called in each pause of `--follow` with the number of pauses. False means that Ctrl-C was pressed. */
  whileWaiting: (pauses: number) => boolean | Promise<boolean> = () => false;

  readonly #warmedTables = {
    configuration: warmedTable({ reads: 12_000, writes: 4000 }),
    counters: warmedTable({ reads: 12_000, writes: 4000 }),
    delivery_log: warmedTable({ reads: 12_000, writes: 50_000 }),
  };

  deployment: Deployment = {
    author: OPERATOR_AUTHOR,
    store: this.store,
    now: this.clock.now,
    randomBytes: countingBytes(),
    receiverTls: undefined,
    warmedTables: this.#warmedTables,
    baseUrl: 'https://va-wave.example',
    sealSigningSecret: async (secret, actionId) => `${secret} sealed for ${actionId}`,
    openSigningSecret: async ({ action_id, sealed_signing_secret }: Action) => {
      const [secret = '', sealedFor] = sealed_signing_secret.split(' sealed for ');
      if (sealedFor !== action_id) throw new Error('It was sealed for another Action');
      return secret;
    },
    eventArchiveDays: 7,
    publish: async (event) => {
      this.events.push(event);
      return `event-${this.events.length}`;
    },
    unreadableRecords: () => this.unreadableRecords,
    deliveryRecords: (id, from) => this.#records(id, from),
    testAction: async () => {
      if (this.testResult instanceof Error) throw this.testResult;
      return this.testResult;
    },
    runtime: {
      tool: async (request) => this.#runtime(request),
      reportUsage: async (report) => this.#runtime(report),
    },
    members: this.store.members,
    logins: {
      withEmail: async (email) => this.logins.filter((login) => login.email?.toLowerCase() === email),
      withSub: async (sub) => this.logins.find((login) => login.sub === sub),
      create: async (email) => ({ login: this.addLogin({ email }), isInvited: true }),
    },
    eventTime: async (ids, eventId, until = '~') =>
      this.attempts.find((one) => ids.includes(one.action_id) && one.reference === eventId && one.event_time < until)
        ?.event_time,
    eventAttempts: async (id, eventId, at) =>
      this.attempts.filter((one) => one.action_id === id && one.reference === eventId && one.event_time === at),
    sendDelivery: async (message) => {
      this.sentDeliveries.push(message);
    },
    replaceOriginSecret: async (value) => `version-${this.originSecrets.push(value)}`,
    tokenRing: this.tokenRing,
    sealingRing: this.sealingRing,
    erasure: {
      ...erasure(
        this.store.client,
        { configuration: CONFIGURATION, counters: '', conversations: '', deliveryLog: '' },
        mustRead,
      ),
      eraseLog: async (logId) => this.#erasedOnce(logId, 3),
      eraseConversations: async (siteId) => this.#erasedOnce(siteId, 2),
      conversations: async function* () {},
      eraseConversation: async () => undefined,
      eraseContent: async () => true,
      eraseCounters: async () => 0,
    },
    deadLetters: (queue) => this.deadLetters[queue],
    logLines: (name, query) => this.#log(name, query),
  };

  /** Ends the changes of tables that have begun. */
  endTableUpdates(): void {
    for (const table of Object.values(this.#warmedTables)) table.end();
  }

  readonly #erased = new Set<string>();

  /** What is erased once is found no more. */
  #erasedOnce(id: string, items: number): number {
    const left = this.#erased.has(id) ? 0 : items;
    this.#erased.add(id);
    return left;
  }

  /** Adds a login to the user pool. @default an enabled one with a verified address */
  addLogin(login: Partial<Login>): Login {
    const sub = `sub of ${login.email ?? this.logins.length}`;
    const added = { sub, username: sub, email: undefined, enabled: true, isVerified: true, providers: [], ...login };
    this.logins.push(added);
    return added;
  }

  #runtime(input: object): object {
    this.runtimeInputs.push(input);
    if (this.runtimeAnswer instanceof Error) throw this.runtimeAnswer;
    return this.runtimeAnswer;
  }

  /** Runs one command. */
  async run(...words: readonly string[]): Promise<Ended> {
    let pauses = 0;
    const { terminal, colour, columns, environment } = this;
    return capturedRun(words, {
      terminal,
      colour,
      columns,
      environment,
      readFile: async (path) => {
        const text = this.files[path];
        if (text === undefined) throw new Error(`ENOENT: ${path}`);
        return text;
      },
      readStdin: async () => this.stdin,
      ask: async (question) => {
        this.questions.push(question);
        return typeof this.answer === 'string' ? this.answer : this.answer();
      },
      pause: async () => this.whileWaiting(++pauses),
      connect: async (target) => {
        this.targets.push(target);
        if (this.connectFails !== undefined) throw this.connectFails;
        return this.deployment;
      },
      accountState: async (target, toolkit) => {
        this.targets.push(target);
        this.toolkits.push(toolkit);
        return this.account;
      },
    });
  }

  /** Runs one command with --json. @throws Error when the command fails */
  async json<Result>(...words: readonly string[]): Promise<Result> {
    const { code, out, err } = await this.run(...words, '--json');
    if (code !== 0 || err !== '') throw new Error(`Exit code ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** Creates an organization, by default with the plan paid. */
  async organization(plan = 'paid'): Promise<string> {
    return (await this.json<{ org_id: string }>('org', 'create', '--name', 'Corner Shop', '--plan', plan)).org_id;
  }

  /** Creates an assistant in a new organization. */
  async assistant(...more: readonly string[]): Promise<{ readonly site_id: string; readonly org_id: string }> {
    const settings = ['--name', 'Shop', '--domain', 'shop.example', '--rate-limit', '1000'];
    return this.json('assistant', 'create', '--org', await this.organization(), ...settings, ...more);
  }

  /** Creates an Event Action of a new assistant. */
  async action(...more: readonly string[]): Promise<{ action_id: string; site_id: string; org_id: string }> {
    const { site_id } = await this.assistant();
    const settings = ['--name', 'Tell the CRM', '--url', 'https://crm.example/', '--event', 'conversation.started'];
    return this.json('action', 'create', '--site', site_id, '--trigger', 'Event', ...settings, ...more);
  }

  async *#records(id: string, from = ''): AsyncGenerator<DeliveryRecord> {
    this.logsRead.push(id);
    yield* this.records.filter(({ started_at }) => started_at >= from);
  }

  async *#log(name: LogName, query: LogQuery): AsyncGenerator<LogLine> {
    this.logQueries.push({ name, ...query });
    yield* this.logLines;
  }
}

type WarmedTable = Deployment['warmedTables']['counters'];

/** A table whose change takes until `end`, and which takes no other one meanwhile, as in DynamoDB. */
function warmedTable(now: { readonly reads: number; readonly writes: number }): WarmedTable & { end: () => void } {
  let throughput = now;
  let next: typeof now | undefined;
  return {
    read: async () => ({ ...throughput, updating: next !== undefined }),
    raise: async (to) => {
      if (next !== undefined) throw new Error('ResourceInUseException');
      next = to;
    },
    end: () => {
      throughput = next ?? throughput;
      next = undefined;
    },
  };
}

/** A record of the delivery log: the first attempt of an event, which the endpoint accepted. */
export function attempt(changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    action_id: 'act_x',
    reference: 'event-1',
    trigger: 'event',
    trigger_ref: 'conversation.started',
    attempt: 1,
    replay: null,
    started_at: '2026-03-04T05:06:07.250Z',
    event_time: '2026-03-04T05:06:00Z',
    state: 'succeeded',
    payload: '{"the":"payload"}',
    payload_cut: false,
    status: 200,
    response_excerpt: 'thanks',
    latency_ms: 34,
    success: true,
    error: null,
    sends: 1,
    ...changes,
  };
}

/** What differs in an attempt that the endpoint refused. */
export const REFUSED = {
  state: 'failed',
  success: false,
  status: 503,
  error: { code: 'http_status', message: 'HTTP 503' },
} as const satisfies Partial<DeliveryRecord>;

type DeadLetterQueue = ReturnType<Deployment['deadLetters']>;
type DeadLetterMove = Awaited<ReturnType<DeadLetterQueue['moves']>>[number];
type DeadLetter = Awaited<ReturnType<DeadLetterQueue['receive']>>[number];

/** An in-memory dead-letter queue that returns two messages per call. A move is complete when it has begun, unless `isSlow`. */
export class InMemoryDeadLetters implements DeadLetterQueue {
  readonly waiting: DeadLetter[] = [];
  /** Receipts of the messages that were received and not released. */
  readonly hidden = new Set<string>();
  readonly made: DeadLetterMove[] = [];
  isSlow = false;

  /** Adds a message with this body. */
  add(message_id: string, body: object | string): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent_at = '2026-03-04T05:06:07.250Z';
    this.waiting.push({ message_id, sent_at, body: text, receipt: `receipt of ${message_id}` });
  }

  readonly count = async () => this.waiting.length;

  readonly receive = async () => {
    const page = this.waiting.filter(({ receipt }) => !this.hidden.has(receipt)).slice(0, 2);
    for (const { receipt } of page) this.hidden.add(receipt);
    return page;
  };

  readonly release: DeadLetterQueue['release'] = async (deadLetters) => {
    for (const { receipt } of deadLetters) this.hidden.delete(receipt);
  };

  readonly startMove: DeadLetterQueue['startMove'] = async (rate) => {
    const letters = this.waiting.length;
    if (!this.isSlow) this.waiting.splice(0);
    const [status, moved] = this.isSlow ? ['RUNNING', 0] : ['COMPLETED', letters];
    this.made.unshift({
      started_at: '2026-03-04T05:06:07.250Z',
      status,
      rate,
      moved_letters: moved,
      letters,
      failure: null,
    });
  };

  readonly moves = async () => this.made;

  readonly cancelMove = async () => {
    const [latest] = this.made;
    if (latest?.status !== 'RUNNING') return false;
    this.made[0] = { ...latest, status: 'CANCELLED' };
    return true;
  };
}
