import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { accountFacts } from '../src/adapters/cloudformation/account-facts.ts';
import { operatorAccess } from '../src/adapters/cloudformation/operator-access.ts';
import { stackOutputs } from '../src/adapters/cloudformation/stack-outputs.ts';
import type { AccountFacts } from '../src/domain/operations/examine-account.ts';
import { type Deployment, logGroupOf, openDeployment } from './deployment.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { localLog } from './local-log.ts';

export const DEFAULT_READY_FILE = '.local/ready.json';
export const DEFAULT_STACK = 'VaWave';

/** Which deployment is meant. */
export type Target = {
  /** Ready file of the local cloud; true for the default one. */
  readonly local?: string | true;
  readonly stack?: string;
  readonly region?: string;
};

/** Seconds instead of the functions' fractions of one: a terminal may be far from the region. */
const PATIENCE = { connectionTimeout: 5000, requestTimeout: 15_000, throwOnRequestTimeout: true };

const readyFile = z.object({
  gateway_url: z.string(),
  region: z.string(),
  access_key_id: z.string(),
  secret_access_key: z.string(),
  outputs: z.record(z.string(), z.string()),
  receiver_tls: z.object({ certificate: z.string(), key: z.string() }).nullish(),
});

/**
 * Finds the deployment that is meant.
 * @throws CommandFailure, Refusal 404, and the SDK's errors, all of which failureOf can tell
 */
export async function connect(target: Target): Promise<Deployment> {
  if (target.local === undefined) {
    const access = await accessOf(target);
    return openDeployment(await stackOutputs(target.stack ?? DEFAULT_STACK, access), access);
  }
  if (target.stack !== undefined) throw new CommandFailure(EXIT.refused, '--local and --stack exclude each other');
  const file = target.local === true ? DEFAULT_READY_FILE : target.local;
  const ready = await readReadyFile(file);
  const deployment = openDeployment(ready.outputs, {
    endpoint: ready.gateway_url,
    region: ready.region,
    credentials: { accessKeyId: ready.access_key_id, secretAccessKey: ready.secret_access_key },
    requestHandler: PATIENCE,
  });
  return {
    ...deployment,
    receiverTls: ready.receiver_tls ?? undefined,
    log: (name, query) => localLog(dirname(file), logGroupOf(ready.outputs, name), query),
  };
}

/** What the account says of itself. @throws CommandFailure with --local, which has no account */
export async function examinedAccount(target: Target): Promise<AccountFacts> {
  if (target.local !== undefined) throw new CommandFailure(EXIT.refused, 'doctor asks an account on AWS, not --local');
  return accountFacts(target.stack ?? DEFAULT_STACK, await accessOf(target));
}

const accessOf = ({ region }: Target) =>
  operatorAccess({ requestHandler: PATIENCE, ...(region === undefined ? {} : { region }) });

async function readReadyFile(path: string): Promise<z.infer<typeof readyFile>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    throw new CommandFailure(
      EXIT.notFound,
      `There is no local cloud at ${resolve(path)}: run npm start, or name its ready file`,
    );
  }
  try {
    return readyFile.parse(JSON.parse(text));
  } catch {
    throw new CommandFailure(EXIT.fault, `${resolve(path)} is no ready file of a local cloud`);
  }
}
