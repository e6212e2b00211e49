import { randomBytes } from 'node:crypto';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { secretsManagerClient } from '../adapters/aws-clients.ts';
import { acceptedValues, cachedRing, signingSecrets } from '../adapters/secrets/secret-store.ts';
import { sessionTokens } from '../adapters/secrets/session-tokens.ts';
import { ENVIRONMENT } from '../deployment/environment.ts';
import { now, required } from './shell.ts';

let client: SecretsManagerClient | undefined;
/** Returns the function's one client. A function that reads no secret creates none. */
const secrets = () => {
  client ??= secretsManagerClient();
  return client;
};

/** Opens and seals signing secrets with the ring that the environment names. */
export const functionSigningSecrets = (environment: NodeJS.ProcessEnv) =>
  signingSecrets(cachedRing(secrets(), required(environment, ENVIRONMENT.sealingKey), now), randomBytes);

/** Signs and verifies session tokens with the ring that the environment names. */
export const functionSessionTokens = (environment: NodeJS.ProcessEnv) =>
  sessionTokens(cachedRing(secrets(), required(environment, ENVIRONMENT.tokenKeys), now), now);

/** Returns the comparison with the origin secret that the environment names. */
export const functionOriginSecret = (environment: NodeJS.ProcessEnv) =>
  acceptedValues(secrets(), required(environment, ENVIRONMENT.originSecret), now);
