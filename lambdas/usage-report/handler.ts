import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { dynamoDocumentClient } from '../../src/adapters/dynamodb/client.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { required } from '../../src/adapters/lambda/environment.ts';
import { invokeHandler } from '../../src/adapters/lambda/invoke.ts';
import { logWriteFailed } from '../../src/adapters/lambda/log-write-failed.ts';
import { now, outboundClock } from '../../src/adapters/lambda/system-clock.ts';
import { createDeliver } from '../../src/adapters/outbound/deliver.ts';
import { cachedRing, secretsManagerClient } from '../../src/adapters/secrets/secret-store.ts';
import { sessionTokens } from '../../src/adapters/secrets/session-tokens.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS_NAMESPACE } from '../../src/contract/metrics.ts';
import { usageReport } from '../../src/contract/usage.ts';
import { reportUsage } from '../../src/domain/usage/report-usage.ts';

const logger = new Logger({ serviceName: 'usage-report' });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: 'usage-report' });
const { deliver, close } = createDeliver({ clock: outboundClock });
const ports = {
  ...sessionTokens(cachedRing(secretsManagerClient(), required(process.env, ENVIRONMENT.tokenKeys), now), now),
  log: deliveryLog(dynamoDocumentClient(), required(process.env, ENVIRONMENT.deliveryLogTable), {
    retentionDays: Number(required(process.env, ENVIRONMENT.deliveryLogRetentionDays)),
    now,
  }),
  logWriteFailed: logWriteFailed(logger, metrics),
  deliver,
  now,
  newId: randomUUID,
};

export const handler = invokeHandler(logger, usageReport, async (report) => {
  try {
    return await reportUsage(report, ports);
  } finally {
    await close();
    metrics.publishStoredMetrics();
  }
});
