import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { askService } from '../../src/adapters/ask-service.ts';
import { eventBridgeClient, secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { eventBus } from '../../src/adapters/event-bus.ts';
import { readSecret } from '../../src/adapters/secrets/secret-store.ts';
import { CANARY_ORGANIZATION } from '../../src/contract/events.ts';
import { METRICS, METRICS_NAMESPACE } from '../../src/deployment/metrics.ts';
import { type Trial, tryService } from '../../src/domain/auth/try-service.ts';
import { functionLogger, setting } from '../../src/functions/shell.ts';

const logger = functionLogger('canary');
const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
const secrets = secretsManagerClient();
const serverKey = setting('canaryServerKey');
const publish = eventBus(eventBridgeClient(), setting('eventBus'));
const ports = { ask: askService(setting('baseUrl')) };

/**
 * Runs every five minutes. Puts an event on the bus, whose arrival in the events queue an alarm expects, and uses the service. Reads the
 * server secret each time, so that a new one takes effect with the next run.
 */
export const handler = async (): Promise<Trial> => {
  await publish({ event: 'test.ping', org_id: CANARY_ORGANIZATION, data: {} });
  const trial = await tryService((await readSecret(secrets, serverKey)).trim(), ports);
  metrics.singleMetric().addMetric(METRICS.canaryFailed, MetricUnit.Count, trial.succeeded ? 0 : 1);
  if (!trial.succeeded) logger.error('The canary failed', { step: trial.step, problem: trial.problem });
  return trial;
};
