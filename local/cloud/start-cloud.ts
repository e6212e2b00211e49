import { setInterval } from 'node:timers/promises';
import { type AccessKeys, Authorizer, type Credentials, newCredentials } from './access/authorizer.ts';
import { REGION } from './account.ts';
import { messageOf, required } from './cloud-error.ts';
import { type DataFolder, type MachineIdentity, openDataFolder } from './data-folder.ts';
import { startDynoxide } from './engines/dynoxide.ts';
import { eventSource, sourceQueue } from './functions/event-source.ts';
import { INVOCATIONS_AT_ONCE, type LambdaFunction, lambdaFunction } from './functions/lambda-function.ts';
import { type CallObserver, gateway as gatewayOf } from './gateway.ts';
import { httpApi } from './http/api-gateway.ts';
import { edge as edgeOf } from './http/edge.ts';
import { keptLogins, newLoginKey, serveLogin } from './http/login.ts';
import { freePort, type Listener, listenNear, listenOnLoopback, openListener } from './listener.ts';
import { dynamoDbService, engineTables } from './services/dynamodb.ts';
import { type EventCheck, eventBridge, eventTargets, schedule } from './services/event-bridge.ts';
import { lambda } from './services/lambda-service.ts';
import { keptSecrets, secretsManager } from './services/secrets-manager.ts';
import { securityTokens } from './services/security-tokens.ts';
import { openQueues, sns, sqs } from './services/sqs.ts';
import { keptUsers, userPools } from './services/user-pools.ts';
import { readAssembly } from './template/assembly.ts';
import { Stack } from './template/stack.ts';

export type CloudAccess = {
  readonly gatewayUrl: string;
  readonly region: string;
  /** The operator's credentials, which allow every call. The command line, the demo and the tests use them. */
  readonly credentials: Credentials;
  /** Outputs of the stack by name, resolved. */
  readonly outputs: Readonly<Record<string, string>>;
};

type Composition = {
  /** Folder of a cloud assembly with one stack, absolute. */
  readonly assembly: string;
  /** The environment variables that every function gets besides those of the template, for the differences between this machine and AWS. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folder where V8 keeps the compiled code of the functions, absolute. */
  readonly compiledCode: string;
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
  /** Names by which clients may address this machine, besides those of loopback. @default none */
  readonly hostNames?: readonly string[];
  /** A file that gets the log lines of every function too. */
  readonly logCopy?: string | undefined;
  /** The problem of an event that AWS would accept is its entry's refusal here. @default every event is accepted */
  readonly checkEvent?: (cloud: CloudAccess) => EventCheck;
  /** Called with each step of the start. @default no call */
  readonly onStep?: (what: string) => void;
  /** @default no call */
  readonly onCall?: CallObserver;
  /** Called with one-line messages: denials, errors of functions and unknown calls. @default no call */
  readonly print?: (line: string) => void;
};

export type Cloud = Awaited<ReturnType<typeof startCloud>>;

const KEPT_MESSAGES = 1000;
/** How late a schedule may be; EventBridge itself allows a minute. Nobody relies on the moment at which something expired is deleted. */
const TICK_MS = 10_000;

/** What the steps of the start, the functions below, share. */
type StartContext = {
  readonly options: CloudOptions;
  readonly folder: DataFolder;
  /** What has been started. The latest ends first, because what is still running may need what is older. */
  readonly stops: AsyncDisposableStack;
  readonly print: (line: string) => void;
  readonly onFault: (error: unknown) => void;
};

/** Starts what a template describes, on loopback. @throws CloudError for the terminal; nothing is left running then */
export async function startCloud(options: CloudOptions) {
  const stops = new AsyncDisposableStack();
  const messages: string[] = [];
  const print = (line: string): void => {
    messages.push(line);
    if (messages.length > KEPT_MESSAGES) messages.shift();
    options.print?.(line);
  };
  const onFault = (error: unknown): void => print(`Fault: ${error instanceof Error ? error.stack : messageOf(error)}`);
  try {
    const folder = openDataFolder(options.data);
    stops.defer(() => folder.release());
    return {
      ...(await start({ options, folder, stops, print, onFault })),
      /** The lines that went to `print`, the latest thousand. */
      messages,
      stop: () => stops.disposeAsync(),
    };
  } catch (error) {
    await stops.disposeAsync();
    throw error;
  }
}

async function start(context: StartContext) {
  const { options, folder, stops, print, onFault } = context;
  const keptIdentity = folder.readIdentity();
  const { edge, api, gateway, login } = await openListeners(context, keptIdentity);
  const gatewayUrl = `http://${gateway.address}`;
  const [composition, dynoxide, queues] = await startEngines(context);

  options.onStep?.('Creating tables, queues and secrets');
  const secrets = keptSecrets(folder.file('secrets.json'));
  const stack = new Stack({
    assembly: readAssembly(composition.assembly),
    addresses: { edge: edge.address, api: api.address, gateway: gateway.address, login: login.address },
    secretString: (arn) => secrets.value(arn).SecretString,
  });
  // Secrets come first: other values are made of them.
  secrets.create(stack.all('AWS::SecretsManager::Secret'));
  const outputs = stack.outputs();
  const tables = engineTables(dynoxide, stack.all('AWS::DynamoDB::Table'));
  stops.defer(() => tables.stop());
  const queueResources = stack.all('AWS::SQS::Queue');
  queues.create(queueResources);
  await tables.create();
  const identity: MachineIdentity = {
    operator: keptIdentity?.operator ?? newCredentials(),
    loginKey: keptIdentity?.loginKey ?? (await newLoginKey()),
    ports: { api: portOf(api), gateway: portOf(gateway), login: portOf(login) },
  };
  folder.keepIdentity(identity);

  options.onStep?.('Connecting functions, routes and event sources');
  const credentials = identity.operator;
  const access: CloudAccess = { gatewayUrl, region: REGION, credentials, outputs };
  const keys: AccessKeys = new Map([[credentials.accessKeyId, { kind: 'operator' }]]);
  const authorizer = new Authorizer(stack.resourcePolicies(), ({ message }) => print(`AccessDenied: ${message}`));
  const functions = stack.functions().map((definition) =>
    lambdaFunction(definition, {
      keys,
      authorizer,
      gatewayUrl,
      logFolder: folder.logs,
      logCopy: options.logCopy,
      environment: composition.environment,
      compiledCode: composition.compiledCode,
      call: (request) => endpoint.call(request),
      onError: (line) => print(`${definition.logicalId}: ${line}`),
    }),
  );
  const functionOf = (id: string): LambdaFunction =>
    required(
      functions.find((fn) => fn.isCalled(id)),
      `The stack has no function ${id}`,
    );

  const rules = stack.all('AWS::Events::Rule');
  const deliver = eventTargets(rules, queueResources, functions, { authorizer, queues });
  const fireSchedules = schedule(rules, deliver, folder.file('schedules.json'));
  const users = keptUsers(folder.file('users.json'));
  const invite = (email: string, password: string) =>
    print(`Invitation for ${email}: the temporary password is ${password}`);
  const services = {
    dynamodb: dynamoDbService(tables),
    sqs: sqs(queues),
    sns: sns(queues),
    events: eventBridge({
      buses: stack.all('AWS::Events::EventBus'),
      rules,
      deliver,
      check: options.checkEvent?.(access),
    }),
    secretsmanager: secretsManager(secrets),
    lambda: lambda(functions),
    sts: securityTokens(),
    'cognito-idp': userPools(stack.all('AWS::Cognito::UserPool'), users, invite),
  };
  const endpoint = gatewayOf({ keys, authorizer, services, onFault: print, onCall: options.onCall });
  gateway.serve((request) => endpoint.call(request), onFault);

  const clients = stack.all('AWS::Cognito::UserPoolClient');
  if (clients.length > 0) {
    const logins = keptLogins(folder.file('logins.json'));
    await serveLogin(login, options.name, clients, { users, logins, key: identity.loginKey }, onFault);
  }
  const { ref: apiId = '' } = stack.one('AWS::ApiGatewayV2::Api') ?? {};
  const answer = httpApi(apiId, stack.routes(), functions, authorizer);
  api.serve(answer, onFault);
  const distribution = stack.one('AWS::CloudFront::Distribution');
  if (distribution !== undefined) edge.serve(edgeOf(distribution, stack, { host: api.address, answer }), onFault);

  const sources = stack.all('AWS::Lambda::EventSourceMapping').map((definition) => {
    const { FunctionName, EventSourceArn } = definition.properties;
    const fn = functionOf(FunctionName);
    const sourceResource = queueResources.find(({ arn }) => arn === EventSourceArn);
    const queue = required(sourceResource, `${definition.logicalId} reads ${EventSourceArn}, not a queue of the stack`);
    return eventSource({
      definition,
      queue: sourceQueue(queue, fn.caller, { authorizer, queues }),
      atOnce: INVOCATIONS_AT_ONCE,
      ready: () => endpoint.ready(),
      begin: (next) => fn.begin(next),
      onError: (message) => print(`${definition.logicalId}: ${message}`),
    });
  });
  const tick = async () => {
    fireSchedules(Date.now());
    await tables.sweep(Date.now());
  };
  fireSchedules(Date.now());
  const ticks = new AbortController();
  const regularWork = regularly(tick, ticks.signal, onFault);
  stops.defer(async () => {
    ticks.abort();
    await Promise.all([regularWork, ...[...functions, ...sources].map((one) => one.stop())]);
  });
  for (const source of sources) source.start();

  return {
    ...access,
    /** The distribution's URL for visitors: `http://127.0.0.1:<port>`, without a slash at the end. */
    baseUrl: `http://${edge.address}`,
    /** The HTTP API behind it, as a customer's backend may call it. Without a slash at the end. */
    apiUrl: `http://${api.address}`,
    dataDir: folder.path,
    /** Every kind of call that was refused since the start. Look here first when something does not work. */
    denials: authorizer.denials,
    /** Every kind of call that was allowed since the start, with the statement that allowed it. */
    grants: authorizer.grants,
    functions: functions.map(({ definition: { logicalId, ref: name, role } }) => ({
      logicalId,
      name,
      role: role.logicalId,
    })),
    /** Every statement of every function's role. */
    statements: functions.flatMap(({ definition }) => definition.role.statements),
    /** Folder of the functions' logs: `<logical id>.log`. */
    logsFolder: folder.logs,
    /** Invokes a function by name, ARN or logical id, as the operator. @throws CloudError when there is none */
    invoke: (functionId: string, event: unknown) => functionOf(functionId).invoke(JSON.stringify(event ?? null)),
    /** Ends the execution environment of a function at once with all its invocations, as a crash would. The next invocation starts a new one. */
    killFunction: (functionId: string) => functionOf(functionId).kill(),
    /** Fires every rule with a schedule that is due at `now`, in unix milliseconds. It does so by itself every ten seconds. */
    fireSchedules,
    /** Deletes what is expired at `now`, in unix milliseconds, among the next 250 items of each table. It does so by itself every ten seconds. */
    sweep: tables.sweep,
  };
}

/** Does the work every ten seconds, never twice at the same time. Resolves after the signal, when the work has ended. */
async function regularly(work: () => Promise<void>, signal: AbortSignal, onFault: (error: unknown) => void) {
  try {
    for await (const _ of setInterval(TICK_MS, undefined, { signal })) await work().catch(onFault);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const portOf = ({ address }: Listener): number => Number(address.split(':')[1]);

/** Opens every listener before there is something to answer, because the template's values contain the addresses. */
async function openListeners({ options, stops, print }: StartContext, keptIdentity: MachineIdentity | undefined) {
  const open = async (port: number, listen: typeof listenNear): Promise<Listener> => {
    const listener = await openListener(port, listen, options.hostNames);
    stops.defer(() => listener.close());
    return listener;
  };
  /** Opens a listener at the port of the earlier runs, or at another one. In the first run it is one that systems give to nobody who asks for any. */
  const openAgain = async (what: string, keptPort: number | undefined): Promise<Listener> => {
    const port = keptPort ?? (await freePort());
    const listener = await open(port, listenNear);
    if (keptPort !== undefined && portOf(listener) !== port) {
      print(`Port ${port} is in use, so ${what} is at ${listener.address} now. Clients of the former address fail`);
    }
    return listener;
  };
  const { ports } = keptIdentity ?? {};
  return {
    edge: await open(options.port ?? 0, listenOnLoopback),
    api: await openAgain('the API', ports?.api),
    gateway: await openAgain('the AWS endpoint', ports?.gateway),
    login: await openAgain('the login', ports?.login),
  };
}

/** Starts the engines while the template is made. */
async function startEngines({ options, folder, stops, print }: StartContext) {
  const composition = options.compose(folder.path);
  const onDeath = () => print('The DynamoDB engine has ended. Restart to go on');
  const tables = startDynoxide(folder.file('dynamodb.db'), onDeath, 'own').then((engine) => {
    stops.defer(() => engine.stop());
    if (engine.openTo !== undefined) {
      print(`This system permits no network of its own to the DynamoDB engine, so it is open to ${engine.openTo}`);
    }
    return engine;
  });
  const queues = openQueues(folder.file('sqs')).then((engine) => {
    stops.defer(() => engine.stop());
    return engine;
  });
  // Whatever has started is known to `stops` before the first failure is thrown.
  await Promise.allSettled([composition, tables, queues]);
  return Promise.all([composition, tables, queues]);
}
