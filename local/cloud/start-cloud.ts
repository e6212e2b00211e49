import { Authorizer, type Denial, type Grant } from './access/authorizer.ts';
import { AccessKeys, type Credentials, newCredentials, type RoleStatement } from './access/callers.ts';
import { REGION } from './account.ts';
import { CloudError, messageOf } from './cloud-error.ts';
import { DynamoEngine } from './engines/dynamodb.ts';
import { startDynoxide } from './engines/dynoxide.ts';
import { EventBridge, type EventCheck } from './engines/event-bridge.ts';
import { EventTargets } from './engines/event-targets.ts';
import { Scheduler } from './engines/scheduler.ts';
import { SecretStore } from './engines/secret-store.ts';
import { SqsEngine } from './engines/sqs.ts';
import { EventSource } from './functions/event-source.ts';
import type { InvocationResult } from './functions/execution-environment.ts';
import { INVOCATIONS_AT_ONCE } from './functions/lambda-function.ts';
import { LambdaFunctions } from './functions/lambda-functions.ts';
import { Gateway } from './gateway/gateway.ts';
import { answerHttp } from './gateway/gateway-listener.ts';
import { WaitingCalls } from './gateway/waiting-calls.ts';
import { HttpApi } from './http/api.ts';
import { readBucketObjects } from './http/bucket-objects.ts';
import { Edge } from './http/edge.ts';
import { sourceQueue, targetCalls } from './in-process.ts';
import { Listener, PortInUse } from './listener.ts';
import { KeptLogins } from './login/kept-logins.ts';
import { LoginServer, newLoginKey } from './login/login-server.ts';
import { Users } from './login/users.ts';
import { dynamoDb } from './services/dynamodb.ts';
import { eventBridge } from './services/event-bridge.ts';
import { lambda } from './services/lambda.ts';
import { secretsManager } from './services/secrets-manager.ts';
import { sns } from './services/sns.ts';
import { sqs } from './services/sqs.ts';
import { userPools } from './services/user-pools.ts';
import { DataFolder } from './state/data-folder.ts';
import { type Identity, keepIdentity, readIdentity } from './state/kept-identity.ts';
import { readAssembly } from './template/assembly.ts';
import { type DroppedStatement, type Model, TemplateReader } from './template/model.ts';

/** Makes the check of events from what a client of the started cloud needs. */
export type CheckEvent = (cloud: Pick<Cloud, 'gatewayUrl' | 'region' | 'credentials' | 'outputs'>) => EventCheck;

/** What a machine runs. */
export type Composition = {
  /** Folder of a cloud assembly with one stack, absolute. */
  readonly assembly: string;
  /** What every function gets in its environment besides: where this machine differs from AWS, and says so by name. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder where V8 keeps the compiled code of the functions, absolute. @default a folder in the data folder */
  readonly compiledCode?: string;
};

export type CloudOptions = {
  /** What the machine is called where a person reads it. */
  readonly name: string;
  /** Folder for everything that survives a restart. */
  readonly data: string;
  /** Says what to run. Called with the data folder, absolute, once it is this machine's own. */
  readonly compose: (folder: string) => Promise<Composition>;
  /** The port of the distribution; 0 = any free port. @default 0 */
  readonly port?: number;
  /** Leaves one statement of a role's policies out. */
  readonly withoutStatement?: DroppedStatement;
  /** Seconds between two sweeps, which delete expired messages, and the expired items among the next 250 of each table. @default 10 */
  readonly sweepSeconds?: number;
  /** A file that receives the log lines of every function, in addition to the functions' logs. */
  readonly logCopy?: string | undefined;
  /**
   * Checks an event that is put on a bus. Its problem is the entry's refusal in the answer; undefined accepts the event, as AWS would.
   * @default every event is accepted
   */
  readonly checkEvent?: CheckEvent;
  /** Called with each step of the start. @default no call */
  readonly doing?: (what: string) => void;
  /** Called with one-line messages: denials, errors of functions and unknown calls. @default no call */
  readonly print?: (line: string) => void;
};

/** A running local cloud. */
export type Cloud = {
  /** The distribution's URL for visitors: `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly baseUrl: string;
  /** The HTTP API behind it, as a customer's backend may call it. Without a slash at the end. */
  readonly apiUrl: string;
  /** The one endpoint for every AWS client: DynamoDB, SQS, EventBridge, Secrets Manager, SNS, Lambda. */
  readonly gatewayUrl: string;
  readonly region: string;
  /** The operator's credentials, which allow every call. The command line, the demo and the tests use them. */
  readonly credentials: Credentials;
  /** Outputs of the stack by name, resolved. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Where state is kept, absolute. */
  readonly dataDir: string;
  /** Every refused call since the start. Look here first when something does not work. */
  readonly denials: readonly Denial[];
  /** Every kind of call that was allowed since the start, with the statement that allowed it. */
  readonly grants: () => readonly Grant[];
  /** The functions of the stack. */
  readonly functions: readonly { readonly logicalId: string; readonly name: string; readonly role: string }[];
  /** Every statement of every function's role, as `withoutStatement` names them. */
  readonly statements: readonly RoleStatement[];
  /** The lines that went to `print`, the latest thousand. */
  readonly messages: readonly string[];
  /** Folder of the functions' logs: `<logical id>.log`. */
  readonly logsFolder: string;
  /** Invokes a function by name, ARN or logical id, as the operator. @throws CloudError when there is none */
  invoke(functionId: string, event: unknown): Promise<InvocationResult>;
  /** Ends the execution environment of a function at once with all its invocations, as a crash would. The next invocation starts a new one. */
  killFunction(functionId: string): Promise<void>;
  /** Fires every rule with a schedule that is due at `now`, in unix milliseconds. It does so by itself every ten seconds. */
  fireSchedules(now: number): Promise<void>;
  /** Deletes expired items and messages now. `now` in unix milliseconds, for tests that cannot wait. */
  sweep(now?: number): Promise<{ readonly items: number; readonly messages: number }>;
  stop(): Promise<void>;
};

const KEPT_MESSAGES = 1000;

/** What every step of the start needs. */
type Start = {
  readonly options: CloudOptions;
  readonly folder: DataFolder;
  /** What has been started. The latest ends first, because what is still running may need what is older. */
  readonly stops: AsyncDisposableStack;
  readonly print: (line: string) => void;
  readonly onFault: (error: unknown) => void;
};

/**
 * Starts everything that a template describes, on loopback.
 * @throws CloudError when it cannot, with one message for the person at the terminal; nothing is left running then
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const stops = new AsyncDisposableStack();
  const messages: string[] = [];
  const print = (line: string): void => {
    messages.push(line);
    if (messages.length > KEPT_MESSAGES) messages.shift();
    options.print?.(line);
  };
  const onFault = (error: unknown): void => print(`Fault: ${error instanceof Error ? error.stack : messageOf(error)}`);
  try {
    const folder = DataFolder.open(options.data);
    stops.defer(() => folder.release());
    return { ...(await start({ options, folder, stops, print, onFault })), messages, stop: () => stops.disposeAsync() };
  } catch (error) {
    await stops.disposeAsync();
    throw error;
  }
}

async function start(step: Start): Promise<Omit<Cloud, 'messages' | 'stop'>> {
  const { options, folder, stops, onFault } = step;
  const kept = readIdentity(folder);
  const listeners = await openListeners(step, kept);
  const { addresses } = listeners;
  const [composition, dynoxide, queues] = await startEngines(step);

  options.doing?.('Creating tables, queues and secrets');
  const secrets = new SecretStore(folder.file('secrets.json'));
  const model = readModel(options, composition, addresses, secrets);
  const tables = new DynamoEngine(dynoxide, model.tables);
  stops.defer(() => tables.stop());
  queues.createQueues(model.queues);
  await tables.createTables();
  const identity: Identity = {
    operator: kept?.operator ?? newCredentials(),
    loginKey: kept?.loginKey ?? (await newLoginKey()),
    ports: { api: portOf(addresses.api), gateway: portOf(addresses.gateway), login: portOf(addresses.login) },
  };
  // From now on the folder is complete.
  keepIdentity(folder, identity);

  options.doing?.('Connecting functions, routes and event sources');
  const keys = new AccessKeys();
  const credentials = keys.issue({ kind: 'operator' }, identity.operator);
  const authorizer = authorizerOf(step, model);
  const gatewayUrl = `http://${addresses.gateway}`;
  const functions = functionsOf(step, { model, keys, authorizer, gatewayUrl, composition });
  const parts = { model, authorizer, queues, functions };
  const targets = new EventTargets(model, targetCalls(parts, functions));
  const scheduler = new Scheduler(model.rules, targets, folder.file('schedules.json'));
  const users = new Users(folder.file('users.json'));
  if (model.loginClients.length > 0) {
    const logins = new KeptLogins(folder.file('logins.json'));
    const login = { users, logins, key: identity.loginKey };
    await listeners.login.serve(options.name, model.loginClients, login, onFault);
  }
  const waiting = new WaitingCalls();
  const gateway = gatewayOf(step, {
    ...parts,
    waiting,
    keys,
    tables,
    secrets,
    users,
    events: new EventBridge(
      model,
      targets,
      options.checkEvent?.({ gatewayUrl, region: REGION, credentials, outputs: model.outputs }),
    ),
  });
  listeners.gateway.serve((request) => answerHttp(gateway, request), onFault);
  serveVisitors(step, listeners, { ...parts, assembly: composition.assembly });

  const sources = eventSources(step, { ...parts, waiting });
  for (const source of sources) source.start();
  stops.defer(scheduler.start(onFault));
  const sweepOn = async () => {
    await tables.sweepOn(Date.now());
    queues.sweepRetained(Date.now());
  };
  const sweeping = sweepRegularly(sweepOn, (options.sweepSeconds ?? 10) * 1000, onFault);
  stops.defer(async () => {
    await Promise.all([sweeping.stop(), functions.stop(), ...sources.map((source) => source.stop())]);
  });

  return {
    baseUrl: `http://${addresses.edge}`,
    apiUrl: `http://${addresses.api}`,
    gatewayUrl,
    region: REGION,
    credentials,
    outputs: model.outputs,
    dataDir: folder.path,
    denials: authorizer.denials,
    grants: () => authorizer.grants,
    functions: model.functions.map(({ logicalId, name, role }) => ({ logicalId, name, role: role.logicalId })),
    statements: model.functions.flatMap(({ role }) => role.statements),
    logsFolder: folder.logs,
    invoke: (functionId, event) => findFunction(functions, functionId).invoke(JSON.stringify(event ?? null)),
    killFunction: (functionId) => findFunction(functions, functionId).kill(),
    fireSchedules: (now) => scheduler.fireDue(now),
    sweep: async (now = Date.now()) => ({
      items: await tables.sweepExpired(now),
      messages: queues.sweepRetained(now),
    }),
  };
}

const portOf = (address: string): number => Number(address.split(':')[1]);

/** Opens every listener before there is something to answer, because the template's values contain the addresses. */
async function openListeners({ options, stops, print }: Start, kept: Identity | undefined) {
  const open = async <Opened extends { readonly address: string; close(): Promise<void> }>(
    start: (port: number) => Promise<Opened>,
    port: number,
    keptFor?: string,
  ): Promise<Opened> => {
    let listener: Opened;
    try {
      listener = await start(port);
    } catch (error) {
      if (!(error instanceof PortInUse) || keptFor === undefined) throw error;
      listener = await start(0);
      print(`Port ${port} is in use, so ${keptFor} is at ${listener.address} now. Clients of the former address fail`);
    }
    stops.defer(() => listener.close());
    return listener;
  };
  const withLongHeaders = (port: number) => Listener.open(port, { maxHeaderSize: 64 * 1024 });
  const { ports } = kept ?? {};
  const edge = await open(withLongHeaders, options.port ?? 0);
  const api = await open(withLongHeaders, ports?.api ?? 0, 'the API');
  const gateway = await open((port) => Listener.open(port), ports?.gateway ?? 0, 'the AWS endpoint');
  const login = await open((port) => LoginServer.open(port), ports?.login ?? 0, 'the login');
  const addresses = { edge: edge.address, api: api.address, gateway: gateway.address, login: login.address };
  return { edge, api, gateway, login, addresses };
}

/** Starts the engines while the template is made. */
function startEngines({ options, folder, stops, print }: Start) {
  const composing = options.compose(folder.path).then(({ assembly, environment = {}, compiledCode }) => ({
    assembly: readAssembly(assembly),
    environment,
    compiledCode: compiledCode ?? folder.file('compiled-code'),
  }));
  const onDeath = () => print('The DynamoDB engine has ended. Restart to go on');
  const tables = startDynoxide(folder.file('dynamodb.db'), onDeath, 'own').then((engine) => {
    stops.defer(() => engine.stop());
    if (engine.openTo !== undefined) {
      print(`This system permits no network of its own to the DynamoDB engine, so it is open to ${engine.openTo}`);
    }
    return engine;
  });
  const queues = SqsEngine.open(folder.file('sqs')).then((engine) => {
    stops.defer(() => engine.stop());
    return engine;
  });
  return settleAll([composing, tables, queues] as const);
}

type Composed = Awaited<ReturnType<typeof startEngines>>[0];
type Addresses = Awaited<ReturnType<typeof openListeners>>['addresses'];

/** Reads the template, and creates the secrets that its values contain. */
function readModel(
  { withoutStatement }: CloudOptions,
  { assembly }: Composed,
  addresses: Addresses,
  secrets: SecretStore,
): Model {
  const reader = new TemplateReader(
    { assembly, addresses, ...(withoutStatement === undefined ? {} : { withoutStatement }) },
    (arn) => secrets.currentString(arn),
  );
  secrets.create(reader.secrets());
  return reader.model();
}

/** Checks every call, and prints each kind of denial once. */
function authorizerOf({ print }: Start, model: Model): Authorizer {
  const printed = new Set<string>();
  const authorizer = new Authorizer({
    onDenial: ({ message }) => {
      if (printed.has(message)) return;
      printed.add(message);
      print(`AccessDenied: ${message}`);
    },
  });
  for (const { arn, statements } of model.resourcePolicies) authorizer.addResourcePolicy(arn, statements);
  return authorizer;
}

function functionsOf(
  { options, folder, print }: Start,
  parts: {
    readonly model: Model;
    readonly keys: AccessKeys;
    readonly authorizer: Authorizer;
    readonly gatewayUrl: string;
    readonly composition: Composed;
  },
): LambdaFunctions {
  const { model, keys, authorizer, gatewayUrl, composition } = parts;
  return new LambdaFunctions({
    definitions: model.functions,
    keys,
    authorizer,
    gatewayUrl,
    logFolder: folder.logs,
    logCopy: options.logCopy,
    extraEnvironment: composition.environment,
    compiledCode: composition.compiledCode,
    onError: (functionId, line) => print(`${functionId}: ${line}`),
  });
}

/** The parts that answer requests and events. */
type Parts = {
  readonly model: Model;
  readonly authorizer: Authorizer;
  readonly queues: SqsEngine;
  readonly functions: LambdaFunctions;
};

/** The endpoint of all AWS clients. */
function gatewayOf(
  { print }: Start,
  parts: Parts & {
    readonly waiting: WaitingCalls;
    readonly keys: AccessKeys;
    readonly tables: DynamoEngine;
    readonly secrets: SecretStore;
    readonly users: Users;
    readonly events: EventBridge;
  },
): Gateway {
  const { model, waiting, keys, authorizer, queues, tables, secrets, functions, users, events } = parts;
  return new Gateway({
    keys,
    authorizer,
    waiting,
    onFault: print,
    services: {
      dynamodb: dynamoDb(tables),
      sqs: sqs(queues),
      sns: sns(queues),
      events: eventBridge(events),
      secretsmanager: secretsManager(secrets),
      lambda: lambda(functions),
      'cognito-idp': userPools(model.userPools, users, (email, password) =>
        print(`Invitation for ${email}: the temporary password is ${password}`),
      ),
    },
  });
}

/** Serves the HTTP API and the distribution, if the template has them. */
function serveVisitors(
  { stops, onFault }: Start,
  listeners: { readonly api: Listener; readonly edge: Listener },
  { model, functions, authorizer, assembly }: Parts & Pick<Composed, 'assembly'>,
): void {
  if (model.api !== undefined) {
    const api = new HttpApi(model.api, functions, authorizer);
    listeners.api.serve((request) => api.answer(request), onFault);
  }
  if (model.distribution !== undefined) {
    const buckets = readBucketObjects(model.deployments, assembly);
    const edge = new Edge({ distribution: model.distribution, model, buckets });
    stops.defer(() => edge.stop());
    listeners.edge.serve((request) => edge.answer(request), onFault);
  }
}

function eventSources({ print }: Start, parts: Parts & { readonly waiting: WaitingCalls }): readonly EventSource[] {
  const { model, functions, waiting } = parts;
  return model.eventSources.map((definition) => {
    const fn = findFunction(functions, definition.FunctionName);
    const queue = model.queues.find(({ arn }) => arn === definition.EventSourceArn);
    if (queue === undefined)
      throw new CloudError(`${definition.logicalId} reads ${definition.EventSourceArn}, not a queue of the stack`);
    const source = sourceQueue(parts, queue, functions.caller(fn));
    // What is not allowed is printed as a denial; the mapping then stands still, as it would in AWS.
    source.check();
    const onError = (message: string): void => print(`${definition.logicalId}: ${message}`);
    return new EventSource({
      definition,
      queue: source,
      atOnce: INVOCATIONS_AT_ONCE,
      ready: () => waiting.few(),
      place: () => fn.place(),
      onError,
    });
  });
}

/** Waits for all, so that whatever has started is known to `stops` before the first failure is thrown. */
async function settleAll<T extends readonly unknown[]>(promises: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function findFunction(functions: LambdaFunctions, id: string) {
  const found = functions.find(id);
  if (found === undefined) throw new CloudError(`The stack has no function ${id}`);
  return found;
}

function sweepRegularly(
  sweep: () => Promise<unknown>,
  everyMs: number,
  onFault: (error: unknown) => void,
): { stop(): Promise<void> } {
  let current: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    current = sweep()
      .catch(onFault)
      .finally(() => {
        busy = false;
      });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
