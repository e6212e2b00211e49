import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { publicAddress } from '../../src/adapters/canary/public-address.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { functionLogger } from '../../src/adapters/handlers/function-logger.ts';
import { readSecret } from '../../src/adapters/secrets/secret-store.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS, METRICS_NAMESPACE, METRICS_SERVICE } from '../../src/contract/metrics.ts';
import { type Trial, tryService } from '../../src/domain/operations/try-service.ts';

const logger = functionLogger('canary');
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const secrets = secretsManagerClient();
const serverKey = required(process.env, ENVIRONMENT.canaryServerKey);
const ports = { ask: publicAddress(required(process.env, ENVIRONMENT.baseUrl)) };

/** Runs every five minutes. Reads the server secret each time, so that a new one takes effect with the next run. */
export const handler = async (): Promise<Trial> => {
  const trial = await tryService((await readSecret(secrets, serverKey)).trim(), ports);
  metrics.singleMetric().addMetric(METRICS.canaryFailed, MetricUnit.Count, trial.succeeded ? 0 : 1);
  if (!trial.succeeded) logger.error('The canary failed', { step: trial.step, problem: trial.problem });
  return trial;
};
