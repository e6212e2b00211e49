import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { now } from '../../src/adapters/handlers/system-clock.ts';
import { readRing, writeRing } from '../../src/adapters/secrets/secret-store.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { rotateRing } from '../../src/domain/auth/token-key-ring.ts';

const logger = new Logger({ serviceName: 'key-rotation' });
const secrets = secretsManagerClient();
const tokenKeys = required(process.env, ENVIRONMENT.tokenKeys);

/** Runs on a schedule. Its input means nothing. */
export const handler = async (): Promise<{ readonly keys: number }> => {
  const ring = rotateRing(await readRing(secrets, tokenKeys), now(), randomBytes);
  await writeRing(secrets, tokenKeys, ring);
  logger.info('Rotated the token keys', { keys: ring.length, kid: ring[0].kid });
  return { keys: ring.length };
};
