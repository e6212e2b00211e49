import type {
  GetSecretValueRequest,
  GetSecretValueResponse,
  PutSecretValueRequest,
  PutSecretValueResponse,
} from '@aws-sdk/client-secrets-manager';
import type { AwsAccess } from '../aws/access.ts';
import { type JsonApi, type JsonService, jsonService } from '../aws/json-service.ts';

/** The calls that the adapters make. */
export type SecretsManager = JsonService<{
  GetSecretValue: { input: GetSecretValueRequest; output: GetSecretValueResponse };
  /** The token makes a version once, also when it is sent again. */
  PutSecretValue: {
    input: PutSecretValueRequest & { readonly ClientRequestToken: string };
    output: PutSecretValueResponse;
  };
}>;

const API: JsonApi = {
  name: 'secretsmanager',
  target: 'secretsmanager',
  jsonVersion: '1.1',
  endpointVariable: 'SECRETS_MANAGER',
};

/** One client per container; three seconds for an attempt. */
export function secretsManager(access: AwsAccess = {}): SecretsManager {
  return jsonService(API, access, { timeoutMs: 3000 });
}
