import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynoxide } from '../../local/cloud/engines/dynoxide.ts';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { ENVIRONMENT } from '../../src/deployment/environment.ts';
import type { ManageActionsPorts } from '../../src/domain/actions/manage-actions.ts';
import { sealSigningSecret } from '../../src/domain/delivery/signing-secret.ts';
import { SEALING_KEY, startAwsStub } from './aws-stub.ts';

const TABLES = ['configuration', 'counters', 'conversations', 'delivery-log'] as const;
const ACCESS = { region: 'eu-central-1', accessKeyId: 'bench', secretAccessKey: 'bench' };

/** Starts DynamoDB with the service's four tables, and a stub for the other AWS services. @param folder for the files of the tables */
export async function startStorage(folder: string) {
  const engine = await startDynoxide(join(folder, `bench-${process.hrtime.bigint()}.sqlite`), () => undefined);
  const stub = await startAwsStub();
  const access = { endpoint: engine.origin, region: ACCESS.region, credentials: ACCESS };
  const client = new DynamoDBClient(access);
  for (const TableName of TABLES) {
    const sorted = TableName !== 'counters';
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          ...(sorted ? [{ AttributeName: 'sk', KeyType: 'RANGE' as const }] : []),
        ],
        AttributeDefinitions: (sorted ? ['pk', 'sk'] : ['pk']).map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S' as const,
        })),
      }),
    );
  }
  client.destroy();
  const dynamo = dynamoDb(dynamoDbClient(access));
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
