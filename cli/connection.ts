import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { LogLine, LogQuery } from '../src/adapters/aws-account.ts';
import { OUTPUTS } from '../src/deployment/outputs.ts';
import { parseJson } from '../src/domain/parse-json.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { DEFAULT_READY_FILE, DEFAULT_STACK, type MfaCode, type Target } from './process.ts';
import { withoutUndefined } from './values.ts';

/** Timeouts of the AWS clients in milliseconds. They are longer than in the functions (aws-clients.ts), because the operator may be far from the region. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 15_000, throwOnRequestTimeout: true };

/** What `npm start` (local/start.ts) writes when the one-machine service is ready. */
const readyFile = z.object({
  gateway_url: z.string(),
  region: z.string(),
  access_key_id: z.string(),
  secret_access_key: z.string(),
  outputs: z.record(z.string(), z.string()),
  data_folder: z.string(),
  receiver_tls: z.object({ certificate: z.string(), key: z.string() }).optional(),
});

/** @throws CommandFailure, Refusal 404, and errors of the AWS SDK, which commandFailureOf describes */
export async function connect(target: Target, mfaCode?: MfaCode): Promise<Deployment> {
  if (target.local === undefined) {
    const access = await accessOf(target, mfaCode);
    const { callerArn, stackOutputs } = await import('../src/adapters/aws-account.ts');
    const [stack = '', ...path] = (target.stack ?? DEFAULT_STACK).split('/');
    // Both at once, because a network without STS takes until the timeout to say so.
    const [ofStack, arn] = await Promise.all([stackOutputs(stack, access), callerArn(access)]);
    const outputs = { ...outputsOf(ofStack, path.join('')), ...tablesOf(target) };
    if (outputs[OUTPUTS.baseUrl] === undefined)
      throw new CommandFailure(EXIT.notFound, notVaWave(stack, path, ofStack));
    return openDeployment(outputs, access, arn);
  }
  if (target.stack !== undefined) throw new CommandFailure(EXIT.refused, '--local and --stack exclude each other');
  const file = target.local || DEFAULT_READY_FILE;
  const ready = await readReadyFile(file);
  const access = {
    endpoint: ready.gateway_url,
    region: ready.region,
    credentials: { accessKeyId: ready.access_key_id, secretAccessKey: ready.secret_access_key },
    requestHandler: TIMEOUTS,
  };
  const { callerArn } = await import('../src/adapters/aws-account.ts');
  return openDeployment({ ...ready.outputs, ...tablesOf(target) }, access, await callerArn(access), {
    receiverTls: ready.receiver_tls,
    logLines: (logGroup, query) => localLog(ready.data_folder, logGroup, query),
  });
}

const tablesOf = ({ configurationTable, conversationsTable }: Target) =>
  withoutUndefined({
    [OUTPUTS.configurationTable]: configurationTable,
    [OUTPUTS.conversationsTable]: conversationsTable,
  });

/** Returns the outputs of a construct in a stack with others. The CDK writes the letters and digits of the construct's id before each name, and its hash of 8 hex digits after it. */
export function outputsOf(outputs: Readonly<Record<string, string>>, construct: string): Record<string, string> {
  if (construct === '') return outputs;
  const own = new RegExp(`^${construct.replace(/\W|_/g, '')}(\\w+)[0-9A-F]{8}$`);
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([key, value]) => {
      const [, name] = own.exec(key) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

/** Says that a stack has no va-wave where the operator looks for one, and at which constructs it has one: each has an output for its base address. */
function notVaWave(stack: string, path: readonly string[], outputs: Readonly<Record<string, string>>): string {
  const others = Object.keys(outputs).flatMap((key) => {
    const [, id] = new RegExp(`^(\\w*)${OUTPUTS.baseUrl}([0-9A-F]{8})?$`).exec(key) ?? [];
    return id === undefined ? [] : [[stack, id].filter((part) => part !== '').join('/')];
  });
  const otherOutputs = others.length === 0 ? 'the stack has none' : `the stack has ${others.join(', ')}`;
  return `There is no va-wave at ${[stack, ...path].join('/')}: ${otherOutputs}. Name it with --stack <stack>, or --stack <stack>/<id> for a construct`;
}

/** Reads the state of the AWS account that `doctor` examines, and of the stack, without the construct in it. @param toolkit name of the stack of `cdk bootstrap` @throws CommandFailure with --local, which has no account */
export async function readAccountState(target: Target, toolkit: string, mfaCode: MfaCode) {
  if (target.local !== undefined)
    throw new CommandFailure(EXIT.refused, 'doctor checks an AWS account: leave out --local');
  const adapter = await import('../src/adapters/aws-account.ts');
  const stack = (target.stack ?? DEFAULT_STACK).replace(/\/.*/, '');
  return adapter.accountState(stack, toolkit, await accessOf(target, mfaCode));
}

/**
 * Takes region, proxy and certificate authorities as the command lines of AWS and of the CDK do: the SDK reads neither AWS_DEFAULT_REGION, without
 * which it would use the stack of another region, nor HTTPS_PROXY and AWS_CA_BUNDLE. The clients that only AWS needs are loaded here, because one machine has no use for them.
 */
async function accessOf({ region }: Target, mfaCode: MfaCode | undefined) {
  const { operatorAccess } = await import('../src/adapters/aws-account.ts');
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_CA_BUNDLE } = process.env;
  const refuseBundle = ({ message }: Error) => {
    throw new CommandFailure(EXIT.refused, `The file that AWS_CA_BUNDLE names cannot be read: ${message}`);
  };
  const ca = AWS_CA_BUNDLE ? await readFile(AWS_CA_BUNDLE).catch(refuseBundle) : undefined;
  const access = {
    requestHandler: { ...TIMEOUTS, httpsAgent: { proxyEnv: process.env, ca } },
    region: region ?? (AWS_REGION || AWS_DEFAULT_REGION || undefined),
  };
  return operatorAccess(access, mfaCode);
}

/** Reads the file that the one-machine service writes when it is ready. @throws CommandFailure when there is none, or it is another file */
export async function readReadyFile(path: string): Promise<z.infer<typeof readyFile>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    throw new CommandFailure(
      EXIT.notFound,
      `The one-machine service has no ready file at ${resolve(path)}: run npm start, or name its ready file`,
    );
  }
  const { data } = readyFile.safeParse(parseJson(text));
  if (data !== undefined) return data;
  throw new CommandFailure(EXIT.fault, `${resolve(path)} is not a ready file of the one-machine service`);
}

/** Returns the id of a function's construct by its log group on one machine: `DeliveriesDispatcher` of `VaWave-DeliveriesDispatcherLogABCDEF01`. */
export const constructOf = (logGroup: string): string => logGroup.replace(/^[^-]*-/, '').replace(/Log[0-9A-F]{8}$/, '');

/** Reads the log of a function of the one-machine service, a file named as the function's logical id. @param folder the data folder */
export async function* localLog(folder: string, logGroup: string, query: LogQuery): AsyncIterable<LogLine> {
  const logs = join(folder, 'logs');
  const files = await readdir(logs).catch((): string[] => []);
  const file = files.find((name) => name.startsWith(`${constructOf(logGroup)}Function`));
  if (file === undefined) return;
  let time: Date | undefined;
  for (const text of (await readFile(join(logs, file), 'utf8')).split('\n')) {
    // A line without a time, as of a crash, belongs to the one before it.
    const { data: line } = structuredLine.safeParse(parseJson(text));
    if (line !== undefined) time = new Date(line.timestamp);
    if (text === '' || time === undefined || time < query.since) continue;
    if (query.searchedText === undefined || text.includes(query.searchedText)) yield { time: time.toISOString(), text };
  }
}

const structuredLine = z.object({ timestamp: z.iso.datetime() });
