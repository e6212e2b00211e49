import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startDynoxide } from '../../local/cloud/engines/dynoxide.ts';
import { listenOnLoopback, openListener } from '../../local/cloud/listener.ts';
import { engineTables } from '../../local/cloud/services/dynamodb.ts';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { ENVIRONMENT } from '../../src/deployment/environment.ts';
import type { Context, ManagementContext } from '../../src/domain/context.ts';
import { sealSigningSecret } from '../../src/domain/delivery/signing-secret.ts';
import { type BenchedService, SECRET } from './functions.ts';

const ACCESS = { region: 'us-east-1', accessKeyId: 'bench', secretAccessKey: 'bench' };

/** Starts DynamoDB with the service's tables, and a stub for the other AWS services. @param folder for the files of the tables */
export async function startStorage(folder: string, { tables, variables }: BenchedService) {
  const engine = await startDynoxide(join(folder, `bench-${process.hrtime.bigint()}.sqlite`), () => undefined);
  const stub = await startStub();
  const storedTables = engineTables(engine, tables);
  await storedTables.create();
  const dynamo = dynamoDb(dynamoDbClient({ endpoint: engine.origin, region: ACCESS.region, credentials: ACCESS }));
  const configurationTable = variables[ENVIRONMENT.configurationTable] ?? '';
  const management: ManagementContext & Context<'sealSigningSecret'> = {
    author: { kind: 'operator', arn: 'arn:aws:iam::000000000000:user/bench' },
    store: configurationStore(dynamo, configurationTable),
    now: () => new Date(),
    randomBytes,
    sealSigningSecret: async (secret, actionId) => sealSigningSecret(secret, actionId, SECRET, randomBytes),
  };
  return {
    origin: engine.origin,
    dynamo,
    configurationTable,
    management,
    environment: { ...variables, ...awsEnvironment(engine.origin, `http://${stub.address}`) },
    stop: async () => {
      await stub.close();
      await storedTables.stop();
    },
  };
}

/** Starts a minimal Secrets Manager, SQS and EventBridge. They answer at once and store nothing. Any other call is answered as SQS answers SendMessage. */
async function startStub() {
  const answers: Readonly<Record<string, object>> = {
    GetSecretValue: { SecretString: JSON.stringify(SECRET) },
    PutEvents: { FailedEntryCount: 0, Entries: [{ EventId: 'bench' }] },
  };
  const headers = { 'content-type': 'application/x-amz-json-1.1' };
  const stub = await openListener(0, listenOnLoopback);
  stub.serve(async (request) => {
    const operation = request.headers['x-amz-target']?.split('.').at(-1) ?? '';
    return { status: 200, headers, body: JSON.stringify(answers[operation] ?? { MessageId: 'bench' }) };
  }, console.error);
  return stub;
}

/** Returns the variables that the SDK in a function reads. @param dynamo origin of DynamoDB @param others origin of all other AWS services */
export function awsEnvironment(dynamo: string, others: string): Record<string, string> {
  return {
    AWS_REGION: ACCESS.region,
    AWS_ACCESS_KEY_ID: ACCESS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ACCESS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo,
    AWS_ENDPOINT_URL_SQS: others,
    AWS_ENDPOINT_URL_EVENTBRIDGE: others,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: others,
  };
}
