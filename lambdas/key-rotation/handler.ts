import { randomBytes } from 'node:crypto';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { ringStore } from '../../src/adapters/secrets/secret-store.ts';
import { METRICS, METRICS_NAMESPACE } from '../../src/deployment/metrics.ts';
import { isRotationDue, newestKeyAgeDays, rotateRing } from '../../src/domain/auth/key-ring.ts';
import { functionLogger, isScheduled, now, setting } from '../../src/functions/shell.ts';

const logger = functionLogger('key-rotation');
const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
const tokenRing = ringStore(secretsManagerClient(), setting('tokenKeys'));

/**
 * Rotates the keys of session tokens. The schedule runs it every hour. It rotates when that is due, and always emits the age of the newest
 * key. An alarm is raised when the key is old, and when the age is missing. A manual invocation always rotates. It fails when the keys are
 * replaced at the same moment, so that it brings back no key that is being revoked.
 */
export const handler = async (event: unknown): Promise<{ readonly keys: number }> => {
  const stored = await tokenRing.read();
  const { ring } = stored;
  const age = newestKeyAgeDays(ring, now());
  if (age !== undefined) metrics.singleMetric().addMetric(METRICS.tokenKeyAge, MetricUnit.NoUnit, age);
  if (isScheduled(event) && !isRotationDue(ring, now())) return { keys: ring.length };
  const rotated = rotateRing(ring, now(), randomBytes);
  await tokenRing.replace(stored, rotated);
  if (age === undefined) metrics.singleMetric().addMetric(METRICS.tokenKeyAge, MetricUnit.NoUnit, 0);
  logger.info('Rotated the token keys', { keys: rotated.length, kid: rotated[0].kid });
  return { keys: rotated.length };
};
