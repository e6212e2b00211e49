import { randomBytes } from 'node:crypto';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { secretsManagerClient } from '../adapters/aws-clients.ts';
import { acceptedValues, cachedRing, signingSecrets } from '../adapters/secrets/secret-store.ts';
import { sessionTokens } from '../adapters/secrets/session-tokens.ts';
import { now, setting } from './settings.ts';

let client: SecretsManagerClient | undefined;
/** Returns the function's one client. A function that reads no secret creates none. */
const secrets = () => {
  client ??= secretsManagerClient();
  return client;
};

export const functionSigningSecrets = () =>
  signingSecrets(cachedRing(secrets(), setting('sealingKey'), now), randomBytes);

export const functionSessionTokens = () => sessionTokens(cachedRing(secrets(), setting('tokenKeys'), now), now);

/** Returns the comparison with the origin secret that the environment names. */
export const functionOriginSecret = () => acceptedValues(secrets(), setting('originSecret'), now);
