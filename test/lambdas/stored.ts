import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import type { Assistant } from '../../src/contract/assistants.ts';

export const TOKEN_KEY = { kid: 'k1', key: 'DontTellThisTokenKey'.repeat(4) };
export const SEALING_KEY = { kid: 's1', key: 'DontTellThisSealingKey'.repeat(4) };
export const ORIGIN_SECRET = 'DontTellThisOriginSecret';

/** DynamoDB and Secrets Manager with nothing in them but the assistants given and the service's keys. */
export function mockStorage() {
  const dynamo = mockClient(DynamoDBDocumentClient);
  const secrets = mockClient(SecretsManagerClient);
  return {
    dynamo,
    secrets,
    /** Forgets everything, and stores these assistants. */
    reset: (...assistants: readonly Assistant[]) => {
      dynamo.reset();
      secrets.reset();
      dynamo.on(GetCommand).resolves({});
      dynamo.on(QueryCommand).resolves({ Items: [] });
      dynamo.on(PutCommand).resolves({});
      dynamo.on(UpdateCommand).resolves({});
      for (const assistant of assistants) {
        const Key = { pk: `SITE#${assistant.site_id}`, sk: 'ASSISTANT' };
        dynamo.on(GetCommand, { TableName: 'configuration', Key }, false).resolves({ Item: { ...Key, assistant } });
      }
      const held = {
        'token-keys': JSON.stringify(TOKEN_KEY),
        'sealing-key': JSON.stringify(SEALING_KEY),
        'origin-secret': ORIGIN_SECRET,
      };
      for (const [SecretId, SecretString] of Object.entries(held)) {
        secrets.on(GetSecretValueCommand, { SecretId }).resolves({ SecretString });
      }
    },
  };
}
