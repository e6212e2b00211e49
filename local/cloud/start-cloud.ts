import { Authorizer, type Denial, type Grant } from './access/authorizer.ts';
import { type AccessKeys, type Credentials, newCredentials, type RoleStatement } from './access/callers.ts';
import { REGION } from './account.ts';
import { CloudError, messageOf } from './cloud-error.ts';
import { DynamoEngine } from './engines/dynamodb.ts';
import { startDynoxide } from './engines/dynoxide.ts';
import { SecretStore } from './engines/secret-store.ts';
import { SqsEngine } from './engines/sqs.ts';
import { EventBridge, type EventCheck } from './events/event-bridge.ts';
import { EventTargets } from './events/event-targets.ts';
import { Scheduler } from './events/scheduler.ts';
import { EventSource } from './functions/event-source.ts';
import { INVOCATIONS_AT_ONCE, type LambdaFunction } from './functions/lambda-function.ts';
import { LambdaFunctions } from './functions/lambda-functions.ts';
import type { InvocationResult } from './functions/messages.ts';
import { sourceQueue } from './functions/source-queue.ts';
import { Gateway } from './gateway/gateway.ts';
import { WaitingCalls } from './gateway/waiting-calls.ts';
import { HttpApi } from './http/api.ts';
import { readBucketObjects } from './http/bucket-objects.ts';
import { Edge } from './http/edge.ts';
import { Listener, PortInUse } from './listener.ts';
import { KeptLogins } from './login/kept-logins.ts';
import { newLoginKey, serveLogin } from './login/login-server.ts';
import { Users } from './login/users.ts';
import { regularly } from './regularly.ts';
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
import { type DroppedStatement, Stack } from './template/stack.ts';

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
  /** Every kind of call that was refused since the start. Look here first when something does not work. */
  readonly denials: readonly Denial[];
  /** Every kind of call that was allowed since the start, with the statement that allowed it. */
  readonly grants: readonly Grant[];
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
  /** Deletes the messages, and the items among the next 250 of each table, that are expired at `now`, in unix milliseconds. It does so by itself every ten seconds. */
  sweep(now: number): Promise<void>;
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
  const { options, folder, stops, print, onFault } = step;
  const kept = readIdentity(folder);
  const listeners = await openListeners(step, kept);
  const { edge, api, gateway, login } = listeners;
  const gatewayUrl = `http://${gateway.address}`;
  const [composition, dynoxide, queues] = await startEngines(step);

  options.doing?.('Creating tables, queues and secrets');
  const secrets = new SecretStore(folder.file('secrets.json'));
  const stack = new Stack({
    assembly: composition.assembly,
    addresses: { edge: edge.address, api: api.address, gateway: gateway.address, login: login.address },
    secretString: (arn) => secrets.value(arn, {}).SecretString,
    withoutStatement: options.withoutStatement,
  });
  // Secrets come first: other values are made of them.
  secrets.create(stack.all('AWS::SecretsManager::Secret'));
  const outputs = stack.outputs();
  const tables = new DynamoEngine(dynoxide, stack.all('AWS::DynamoDB::Table'));
  stops.defer(() => tables.stop());
  queues.createQueues(stack.all('AWS::SQS::Queue'));
  await tables.createTables();
  const identity: Identity = {
    operator: kept?.operator ?? newCredentials(),
    loginKey: kept?.loginKey ?? (await newLoginKey()),
    ports: { api: portOf(api), gateway: portOf(gateway), login: portOf(login) },
  };
  // From now on the folder is complete.
  keepIdentity(folder, identity);

  options.doing?.('Connecting functions, routes and event sources');
  const credentials = identity.operator;
  const keys: AccessKeys = new Map([[credentials.accessKeyId, { kind: 'operator' }]]);
  const authorizer = new Authorizer(stack.resourcePolicies(), ({ message }) => print(`AccessDenied: ${message}`));
  const definitions = stack.functions();
  const functions = new LambdaFunctions({
    definitions,
    keys,
    authorizer,
    gatewayUrl,
    logFolder: folder.logs,
    logCopy: options.logCopy,
    extraEnvironment: composition.environment,
    compiledCode: composition.compiledCode,
    call: (request) => endpoint.call(request),
    onError: (functionId, line) => print(`${functionId}: ${line}`),
  });
  const parts = { stack, authorizer, sqs: queues, functions };

  const rules = stack.all('AWS::Events::Rule');
  const targets = new EventTargets(rules, stack.all('AWS::SQS::Queue'), parts);
  const scheduler = new Scheduler(rules, targets, folder.file('schedules.json'));
  const checkEvent = options.checkEvent?.({ gatewayUrl, region: REGION, credentials, outputs });
  const bridge = new EventBridge(stack.all('AWS::Events::EventBus'), rules, targets, checkEvent);
  const users = new Users(folder.file('users.json'));
  const waiting = new WaitingCalls();
  const services = {
    dynamodb: dynamoDb(tables),
    sqs: sqs(queues),
    sns: sns(queues),
    events: eventBridge(bridge),
    secretsmanager: secretsManager(secrets),
    lambda: lambda(functions),
    'cognito-idp': userPools(stack.all('AWS::Cognito::UserPool'), users, (email, password) =>
      print(`Invitation for ${email}: the temporary password is ${password}`),
    ),
  };
  const endpoint = new Gateway({ keys, authorizer, waiting, services, onFault: print });
  gateway.serve((request) => endpoint.answer(request), onFault);

  const clients = stack.all('AWS::Cognito::UserPoolClient');
  if (clients.length > 0) {
    const logins = new KeptLogins(folder.file('logins.json'));
    await serveLogin(login, options.name, clients, { users, logins, key: identity.loginKey }, onFault);
  }
  serveVisitors(step, listeners, parts);

  const sources = eventSources(step, { ...parts, waiting });
  const sweep = async (now: number) => {
    await tables.sweep(now);
    queues.sweep(now);
  };
  await scheduler.fireDue(Date.now()).catch(onFault);
  const stopWork = [
    regularly(TICK_MS, () => scheduler.fireDue(Date.now()), onFault),
    regularly(TICK_MS, () => sweep(Date.now()), onFault),
    () => functions.stop(),
    ...sources.map((source) => () => source.stop()),
  ];
  stops.defer(async () => {
    await Promise.all(stopWork.map((stop) => stop()));
  });
  for (const source of sources) source.start();

  return {
    baseUrl: `http://${edge.address}`,
    apiUrl: `http://${api.address}`,
    gatewayUrl,
    region: REGION,
    credentials,
    outputs,
    dataDir: folder.path,
    denials: authorizer.denials,
    grants: authorizer.grants,
    functions: definitions.map(({ logicalId, ref, role }) => ({ logicalId, name: ref, role: role.logicalId })),
    statements: definitions.flatMap(({ role }) => role.statements),
    logsFolder: folder.logs,
    invoke: (functionId, event) => findFunction(functions, functionId).invoke(JSON.stringify(event ?? null)),
    killFunction: (functionId) => findFunction(functions, functionId).kill(),
    fireSchedules: (now) => scheduler.fireDue(now),
    sweep,
  };
}

/** How late a schedule may be; EventBridge itself allows a minute. Nobody relies on the moment at which something expired is deleted. */
const TICK_MS = 10_000;

const portOf = ({ address }: Listener): number => Number(address.split(':')[1]);

/** Opens every listener before there is something to answer, because the template's values contain the addresses. */
async function openListeners({ options, stops, print }: Start, kept: Identity | undefined) {
  const open = async (port: number, keptFor?: string): Promise<Listener> => {
    let listener: Listener;
    try {
      listener = await Listener.open(port);
    } catch (error) {
      if (!(error instanceof PortInUse) || keptFor === undefined) throw error;
      listener = await Listener.open(0);
      print(`Port ${port} is in use, so ${keptFor} is at ${listener.address} now. Clients of the former address fail`);
    }
    stops.defer(() => listener.close());
    return listener;
  };
  const { ports } = kept ?? {};
  return {
    edge: await open(options.port ?? 0),
    api: await open(ports?.api ?? 0, 'the API'),
    gateway: await open(ports?.gateway ?? 0, 'the AWS endpoint'),
    login: await open(ports?.login ?? 0, 'the login'),
  };
}

/** Starts the engines while the template is made. */
async function startEngines({ options, folder, stops, print }: Start) {
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
  // Whatever has started is known to `stops` before the first failure is thrown.
  await Promise.allSettled([composing, tables, queues]);
  return Promise.all([composing, tables, queues]);
}

type Parts = {
  readonly stack: Stack;
  readonly authorizer: Authorizer;
  readonly sqs: SqsEngine;
  readonly functions: LambdaFunctions;
};

/** Serves the HTTP API and the distribution, if the template has them. */
function serveVisitors(
  { stops, onFault }: Start,
  listeners: Awaited<ReturnType<typeof openListeners>>,
  { stack, functions, authorizer }: Parts,
): void {
  const api = stack.one('AWS::ApiGatewayV2::Api');
  if (api !== undefined) {
    const http = new HttpApi(api.ref, stack.routes(), functions, authorizer);
    listeners.api.serve((request) => http.answer(request), onFault);
  }
  const distribution = stack.one('AWS::CloudFront::Distribution');
  if (distribution !== undefined) {
    const edge = new Edge(distribution, stack, readBucketObjects(stack));
    stops.defer(() => edge.stop());
    listeners.edge.serve((request) => edge.answer(request), onFault);
  }
}

function eventSources(
  { print }: Start,
  { waiting, ...parts }: Parts & { readonly waiting: WaitingCalls },
): readonly EventSource[] {
  const queues = parts.stack.all('AWS::SQS::Queue');
  return parts.stack.all('AWS::Lambda::EventSourceMapping').map((definition) => {
    const { FunctionName, EventSourceArn } = definition.properties;
    const fn = findFunction(parts.functions, FunctionName);
    const queue = queues.find(({ arn }) => arn === EventSourceArn);
    if (queue === undefined) {
      throw new CloudError(`${definition.logicalId} reads ${EventSourceArn}, not a queue of the stack`);
    }
    return new EventSource({
      definition,
      queue: sourceQueue(queue, fn.caller, parts),
      atOnce: INVOCATIONS_AT_ONCE,
      ready: () => waiting.few(),
      begin: (next) => fn.begin(next),
      onError: (message) => print(`${definition.logicalId}: ${message}`),
    });
  });
}

function findFunction(functions: LambdaFunctions, id: string): LambdaFunction {
  const found = functions.find(id);
  if (found === undefined) throw new CloudError(`The stack has no function ${id}`);
  return found;
}
