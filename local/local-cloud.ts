import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Authorizer, type Denial, type Grant } from './cloud/access/authorizer.ts';
import { AccessKeys, type RoleStatement } from './cloud/access/callers.ts';
import { CloudError, messageOf } from './cloud/cloud-error.ts';
import { DynamoEngine } from './cloud/engines/dynamodb.ts';
import { startDynoxide } from './cloud/engines/dynoxide.ts';
import { EventBridge } from './cloud/engines/event-bridge.ts';
import { EventTargets } from './cloud/engines/event-targets.ts';
import { Scheduler } from './cloud/engines/scheduler.ts';
import { SecretStore } from './cloud/engines/secret-store.ts';
import { SqsEngine } from './cloud/engines/sqs.ts';
import { checkEventSource, EventSource } from './cloud/functions/event-source.ts';
import { FunctionPools } from './cloud/functions/function-pools.ts';
import type { InvocationResult } from './cloud/functions/function-worker.ts';
import { dynamoDb } from './cloud/gateway/dynamodb.ts';
import { eventBridge } from './cloud/gateway/event-bridge.ts';
import { Gateway } from './cloud/gateway/gateway.ts';
import { answerHttp } from './cloud/gateway/gateway-listener.ts';
import { lambda } from './cloud/gateway/lambda.ts';
import { secretsManager } from './cloud/gateway/secrets-manager.ts';
import { sns } from './cloud/gateway/sns.ts';
import { sqs } from './cloud/gateway/sqs.ts';
import { HttpApi } from './cloud/http/api.ts';
import { readBucketObjects } from './cloud/http/bucket-objects.ts';
import { Edge } from './cloud/http/edge.ts';
import { Listener } from './cloud/http/listener.ts';
import { LoginServer } from './cloud/login/login-server.ts';
import { userPools } from './cloud/login/user-pools.ts';
import { Users } from './cloud/login/users.ts';
import { DataFolder } from './cloud/state/data-folder.ts';
import { gatherAuthorities } from './cloud/state/trusted-authorities.ts';
import { type Assembly, readAssembly } from './cloud/template/assembly.ts';
import { REGION } from './cloud/template/identities.ts';
import { type DroppedStatement, TemplateReader } from './cloud/template/model.ts';
import type { Credentials, DemoCloud } from './demo-cloud.ts';
import { assembleService } from './service-assembly.ts';

export type LocalCloudOptions = {
  /** Folder for everything that survives a restart. */
  readonly data: string;
  /** Of the edge; 0 = any that is free. @default 0 */
  readonly port?: number;
  /** Run the bundles of bin/app.ts unchanged: no endpoint on loopback, no further authorities. @default false */
  readonly strict?: boolean;
  /** PEM files of certificate authorities that outbound requests trust besides the public ones. Not with `strict`. */
  readonly authorities?: readonly string[];
  /** Folder of a cloud assembly to run, made by `assembleService` or `synthesize`. @default the service, synthesized now */
  readonly assembly?: string;
  /** Leaves one statement of a role's policies out. */
  readonly withoutStatement?: DroppedStatement;
  /** How many invocations of one function run side by side; what comes on top waits. @default 4 */
  readonly workersPerFunction?: number;
  /** How often expired items and messages are deleted, in seconds. @default 10 */
  readonly sweepSeconds?: number;
  /** Where one-line messages go: denials, errors of functions, calls that are not known. @default nowhere */
  readonly print?: (line: string) => void;
};

/** A running one-machine cloud. */
export type LocalCloud = DemoCloud & {
  /** Every refused call since the start; the first to look at when something does not work. */
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
  /** Ends every execution environment of a function at once, as a crash would. The next invocation starts a new one. */
  killFunction(functionId: string): Promise<void>;
  /** Fires every rule with a schedule that is due at `now`, in unix milliseconds. It does so by itself every ten seconds. */
  fireSchedules(now: number): Promise<void>;
  /** Deletes expired items and messages now. `now` in unix milliseconds, for tests that cannot wait. */
  sweep(now?: number): Promise<{ readonly items: number; readonly messages: number }>;
  stop(): Promise<void>;
};

const KEPT_MESSAGES = 1000;

/** The name under which local/network-rule.ts finds the file of trusted authorities. */
const CA_FILE_VARIABLE = 'VA_WAVE_LOCAL_CA_FILE';

/**
 * Starts everything that the app's template describes, on loopback.
 * @throws CloudError when it cannot, with one message for the person at the terminal; nothing is left running then
 */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    // In turn, the latest first: what is still running may need what is older.
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    return await start(options, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  options: LocalCloudOptions,
  stops: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<LocalCloud> {
  const messages: string[] = [];
  const print = (line: string): void => {
    messages.push(line);
    if (messages.length > KEPT_MESSAGES) messages.shift();
    options.print?.(line);
  };
  const onFault = (error: unknown): void => print(`Fault: ${error instanceof Error ? error.stack : messageOf(error)}`);

  const folder = DataFolder.open(options.data);
  stops.push(() => folder.release());
  const extraEnvironment = trustAuthorities(options, folder);
  const listen = async (port: number, limits = {}): Promise<Listener> => {
    const listener = await Listener.open(port, limits);
    stops.push(() => listener.close());
    return listener;
  };
  const edgeListener = await listen(options.port ?? 0, { maxHeaderSize: 64 * 1024 });
  const apiListener = await listen(0, { maxHeaderSize: 64 * 1024 });
  const gatewayListener = await listen(0);
  const loginServer = await LoginServer.open();
  stops.push(() => loginServer.close());
  const gatewayUrl = `http://${gatewayListener.address}`;

  const [assembly, dynoxide, queues] = await settleAll([
    assemble(options, folder),
    startDynoxide(folder.file('dynamodb.db'), () => print('The DynamoDB engine has ended. Restart to go on')).then(
      (engine) => {
        stops.push(() => engine.stop());
        return engine;
      },
    ),
    SqsEngine.open(folder.file('sqs')).then((engine) => {
      stops.push(() => engine.stop());
      return engine;
    }),
  ]);

  const secrets = new SecretStore(folder.file('secrets.json'));
  const addresses = {
    edge: edgeListener.address,
    api: apiListener.address,
    gateway: gatewayListener.address,
    login: loginServer.address,
  };
  const { withoutStatement } = options;
  const reader = new TemplateReader(
    { assembly, addresses, ...(withoutStatement === undefined ? {} : { withoutStatement }) },
    (arn) => secrets.currentString(arn),
  );
  secrets.create(reader.secrets());
  const model = reader.model();

  const keys = new AccessKeys();
  const credentials: Credentials = keys.issue({ kind: 'operator' });
  const printed = new Set<string>();
  const authorizer = new Authorizer({
    onDenial: ({ message }) => {
      if (printed.has(message)) return;
      printed.add(message);
      print(`AccessDenied: ${message}`);
    },
  });
  for (const { arn, statements } of model.resourcePolicies) authorizer.addResourcePolicy(arn, statements);

  const tables = new DynamoEngine(dynoxide, model.tables);
  stops.push(() => tables.stop());
  queues.createQueues(model.queues);
  await tables.createTables();

  const functions = new FunctionPools({
    definitions: model.functions,
    keys,
    authorizer,
    gatewayUrl,
    logFolder: folder.logs,
    extraEnvironment,
    maxWorkers: options.workersPerFunction ?? 4,
    onError: (functionId, line) => print(`${functionId}: ${line}`),
  });
  const targets = new EventTargets(model, () => gateway);
  const users = new Users(folder.file('users.json'));
  if (model.loginClients.length > 0) await loginServer.serve(model.loginClients, users, onFault);
  const events = new EventBridge(model, targets);
  const scheduler = new Scheduler(model.rules, targets, folder.file('schedules.json'));
  const gateway = new Gateway({
    keys,
    authorizer,
    onFault: print,
    services: {
      dynamodb: dynamoDb(tables, partitionKeys(model.tables)),
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
  gatewayListener.serve((request) => answerHttp(gateway, request), onFault);

  if (model.api !== undefined) {
    const api = new HttpApi(model.api, functions, authorizer);
    apiListener.serve((request) => api.answer(request), onFault);
  }
  if (model.distribution !== undefined) {
    const buckets = readBucketObjects(model.deployments, assembly);
    const edge = new Edge({ distribution: model.distribution, model, buckets });
    stops.push(() => edge.stop());
    edgeListener.serve((request) => edge.answer(request), onFault);
  }

  const sources = model.eventSources
    .filter(({ Enabled }) => Enabled)
    .map((definition) => {
      const pool = findPool(functions, definition.FunctionName);
      const queue = model.queues.find(({ arn }) => arn === definition.EventSourceArn);
      if (queue === undefined)
        throw new CloudError(`${definition.logicalId} reads ${definition.EventSourceArn}, not a queue of the stack`);
      const source = { definition, queueUrl: queue.url, pool, caller: functions.caller(pool), gateway };
      return { ...source, onError: (message: string) => print(`${definition.logicalId}: ${message}`) };
    });
  // What is not allowed is printed as a denial; the mapping then stands still, as it would in AWS.
  await Promise.all(sources.map((source) => checkEventSource(source).catch(() => {})));
  const running = sources.map((source) => new EventSource(source));
  for (const source of running) source.start();
  const sweep = async (now = Date.now()) => ({
    items: await tables.sweepExpired(now),
    messages: queues.sweepRetained(now),
  });
  stops.push(scheduler.start(onFault));
  const sweeping = sweepRegularly(sweep, (options.sweepSeconds ?? 10) * 1000, onFault);
  stops.push(async () => {
    await Promise.all([sweeping.stop(), functions.stop(), ...running.map((source) => source.stop())]);
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
    messages,
    logsFolder: folder.logs,
    invoke: (functionId, event) => findPool(functions, functionId).invoke(JSON.stringify(event ?? null)),
    killFunction: (functionId) => findPool(functions, functionId).kill(),
    fireSchedules: (now) => scheduler.fireDue(now),
    sweep,
    stop,
  };
}

async function assemble(options: LocalCloudOptions, folder: DataFolder): Promise<Assembly> {
  if (options.assembly !== undefined) return readAssembly(options.assembly);
  const outdir = folder.file('assembly');
  // Otherwise the bundles of every former version would stay there for good.
  rmSync(outdir, { recursive: true, force: true });
  await assembleService(outdir, { strict: options.strict === true });
  return readAssembly(outdir);
}

function trustAuthorities(options: LocalCloudOptions, folder: DataFolder): Record<string, string> {
  const files = options.authorities ?? [];
  if (files.length === 0) return {};
  if (options.strict === true)
    throw new CloudError('--ca has no effect with --strict: the strict rule trusts public authorities only');
  const file = join(folder.path, 'trusted-authorities.pem');
  gatherAuthorities(files, file);
  return { [CA_FILE_VARIABLE]: file };
}

/** Waits for all, so that whatever has started is known to `stops` before the first failure is thrown. */
async function settleAll<T extends readonly unknown[]>(promises: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function partitionKeys(
  tables: readonly { arn: string; properties: { KeySchema: { AttributeName: string; KeyType: string }[] } }[],
) {
  return new Map(
    tables.map(({ arn, properties }) => [
      arn,
      properties.KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '',
    ]),
  );
}

function findPool(functions: FunctionPools, id: string) {
  const pool = functions.find(id);
  if (pool === undefined) throw new CloudError(`The stack has no function ${id}`);
  return pool;
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
