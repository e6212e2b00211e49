import { randomBytes, randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { dynamoDocumentClient } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { hitPerMinute } from '../../src/adapters/dynamodb/rate-limits.ts';
import { required } from '../../src/adapters/lambda/environment.ts';
import { invokeHandler } from '../../src/adapters/lambda/invoke.ts';
import { logWriteFailed } from '../../src/adapters/lambda/log-write-failed.ts';
import { now, outboundClock } from '../../src/adapters/lambda/system-clock.ts';
import { createDeliver } from '../../src/adapters/outbound/deliver.ts';
import { cachedRing, secretsManagerClient } from '../../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS_NAMESPACE } from '../../src/contract/metrics.ts';
import { actionTestRequest } from '../../src/contract/tools.ts';
import { testAction } from '../../src/domain/actions/test-action.ts';

const logger = new Logger({ serviceName: 'action-test' });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: 'action-test' });
const dynamo = dynamoDocumentClient();
const { deliver, close } = createDeliver({ clock: outboundClock });
const ports = {
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...signingSecrets(
    cachedRing(secretsManagerClient(), required(process.env, ENVIRONMENT.sealingKey), now),
    randomBytes,
  ),
  hitPerMinute: hitPerMinute(dynamo, required(process.env, ENVIRONMENT.countersTable)),
  log: deliveryLog(dynamo, required(process.env, ENVIRONMENT.deliveryLogTable), {
    retentionDays: Number(required(process.env, ENVIRONMENT.deliveryLogRetentionDays)),
    now,
  }),
  logWriteFailed: logWriteFailed(logger, metrics),
  deliver,
  now,
  newId: randomUUID,
};

export const handler = invokeHandler(logger, actionTestRequest, async (request) => {
  try {
    return { result: await testAction(request.org_id, request.action_id, ports) };
  } finally {
    await close();
    metrics.publishStoredMetrics();
  }
});
