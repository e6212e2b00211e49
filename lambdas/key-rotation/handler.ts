import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { isScheduled } from '../../src/adapters/handlers/schedule.ts';
import { now } from '../../src/adapters/handlers/system-clock.ts';
import { readRing, writeRing } from '../../src/adapters/secrets/secret-store.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS, METRICS_NAMESPACE, METRICS_SERVICE } from '../../src/contract/metrics.ts';
import { newestKeyAgeDays, rotateRing } from '../../src/domain/auth/token-key-ring.ts';

const logger = new Logger({ serviceName: 'key-rotation' });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const secrets = secretsManagerClient();
const tokenKeys = required(process.env, ENVIRONMENT.tokenKeys);

/** A day less than a week, so that the daily run nearest to it rotates. */
const ROTATE_AFTER_DAYS = 6.5;

/**
 * Runs every day, and rotates every week: in between it only says how old the newest key is, for the alarm. Invoked by hand, it
 * rotates, whatever the age.
 */
export const handler = async (event: unknown): Promise<{ readonly keys: number }> => {
  const ring = await readRing(secrets, tokenKeys);
  const age = newestKeyAgeDays(ring, now());
  if (age !== undefined) metrics.singleMetric().addMetric(METRICS.tokenKeyAge, MetricUnit.NoUnit, age);
  if (isScheduled(event) && age !== undefined && age < ROTATE_AFTER_DAYS) return { keys: ring.length };
  const rotated = rotateRing(ring, now(), randomBytes);
  await writeRing(secrets, tokenKeys, rotated);
  logger.info('Rotated the token keys', { keys: rotated.length, kid: rotated[0].kid });
  return { keys: rotated.length };
};
