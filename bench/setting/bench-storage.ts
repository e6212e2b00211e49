import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { startDynoxide } from '../../local/cloud/engines/dynoxide.ts';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { ENVIRONMENT } from '../../src/deployment/environment.ts';
import type { ManageActionsPorts } from '../../src/domain/actions/manage-actions.ts';
import { sealSigningSecret } from '../../src/domain/delivery/signing-secret.ts';

const TABLES = ['configuration', 'counters', 'conversations', 'delivery-log'] as const;
const ACCESS = { region: 'eu-central-1', accessKeyId: 'bench', secretAccessKey: 'bench' };
const SEALING_KEY = { kid: 'bench', key: 'a sealing key for the benchmark only' };
const SECRETS: Readonly<Record<string, string>> = {
  'token-keys': JSON.stringify({ kid: 'bench', key: 'a token key for the benchmark only' }),
  'sealing-key': JSON.stringify(SEALING_KEY),
  'origin-secret': 'an origin secret of the benchmark',
};

/** Starts DynamoDB with the service's four tables, and a stub for the other AWS services. @param folder for the files of the tables */
export async function startStorage(folder: string) {
  const engine = await startDynoxide(join(folder, `bench-${process.hrtime.bigint()}.sqlite`), () => undefined);
  const stub = await startStub();
  const client = dynamoDbClient({ endpoint: engine.origin, region: ACCESS.region, credentials: ACCESS });
  for (const TableName of TABLES) {
    const names = TableName === 'counters' ? ['pk'] : ['pk', 'sk'];
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: names.map((AttributeName) => ({
          AttributeName,
          KeyType: AttributeName === 'pk' ? 'HASH' : 'RANGE',
        })),
        AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      }),
    );
  }
  const dynamo = dynamoDb(client);
  /** The ports of the use cases that create organizations, assistants and Actions. */
  const management: ManageActionsPorts = {
    store: configurationStore(dynamo, 'configuration'),
    now: () => new Date(),
    randomBytes,
    sealSigningSecret: async (secret, actionId) => sealSigningSecret(secret, actionId, SEALING_KEY, randomBytes),
  };
  return {
    origin: engine.origin,
    dynamo,
    management,
    environment: functionEnvironment(engine.origin, stub.origin),
    stop: async () => {
      stub.stop();
      await engine.stop();
    },
  };
}

/** Starts a minimal Secrets Manager, SQS and EventBridge. They answer at once and store nothing. */
async function startStub() {
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const input = (await json(request)) as { readonly SecretId?: string };
    const answers: Readonly<Record<string, object>> = {
      GetSecretValue: { SecretString: SECRETS[input.SecretId ?? ''] },
      PutEvents: { FailedEntryCount: 0, Entries: [{ EventId: 'bench' }] },
    };
    const answer = JSON.stringify(answers[operation] ?? { MessageId: 'bench' });
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${port}`, stop };
}

/** Returns the environment of a function. @param dynamo origin of DynamoDB @param others origin of all other AWS services */
export function functionEnvironment(dynamo: string, others: string): Record<string, string> {
  return {
    ...Object.fromEntries(Object.values(ENVIRONMENT).map((name) => [name, 'unused'])),
    AWS_REGION: ACCESS.region,
    AWS_ACCESS_KEY_ID: ACCESS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ACCESS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo,
    AWS_ENDPOINT_URL_SQS: others,
    AWS_ENDPOINT_URL_EVENTBRIDGE: others,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: others,
    [ENVIRONMENT.configurationTable]: 'configuration',
    [ENVIRONMENT.countersTable]: 'counters',
    [ENVIRONMENT.conversationsTable]: 'conversations',
    [ENVIRONMENT.deliveryLogTable]: 'delivery-log',
    [ENVIRONMENT.deliveryLogRetentionDays]: '30',
    [ENVIRONMENT.eventBus]: 'bus',
    [ENVIRONMENT.deliveriesQueue]: `${others}/000000000000/deliveries`,
    [ENVIRONMENT.tokenKeys]: 'token-keys',
    [ENVIRONMENT.sealingKey]: 'sealing-key',
    [ENVIRONMENT.originSecret]: 'origin-secret',
  };
}
