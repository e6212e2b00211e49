import { randomBytes, randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { dynamoDocumentClient } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { hitPerMinute } from '../../src/adapters/dynamodb/rate-limits.ts';
import { required } from '../../src/adapters/lambda/environment.ts';
import { httpHandler } from '../../src/adapters/lambda/http.ts';
import { logWriteFailed } from '../../src/adapters/lambda/log-write-failed.ts';
import { now, outboundClock } from '../../src/adapters/lambda/system-clock.ts';
import { allowPage, widgetCredentials } from '../../src/adapters/lambda/widget-request.ts';
import { createDeliver } from '../../src/adapters/outbound/deliver.ts';
import { visitorIp } from '../../src/adapters/secrets/origin-secret.ts';
import { cachedRing, plainSecret, secretsManagerClient } from '../../src/adapters/secrets/secret-store.ts';
import { sessionTokens } from '../../src/adapters/secrets/session-tokens.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import { escalationTopics, snsClient } from '../../src/adapters/sns/escalation-topic.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS_NAMESPACE } from '../../src/contract/metrics.ts';
import { submitForm } from '../../src/domain/actions/submit-form.ts';

const logger = new Logger({ serviceName: 'form-submit' });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: 'form-submit' });
const dynamo = dynamoDocumentClient();
const secrets = secretsManagerClient();
const originSecret = plainSecret(secrets, required(process.env, ENVIRONMENT.originSecret), now);
const { deliver, close } = createDeliver({ clock: outboundClock });
const ports = {
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...conversations(dynamo, required(process.env, ENVIRONMENT.conversationsTable), now),
  ...sessionTokens(cachedRing(secrets, required(process.env, ENVIRONMENT.tokenKeys), now), now),
  ...signingSecrets(cachedRing(secrets, required(process.env, ENVIRONMENT.sealingKey), now), randomBytes),
  hitPerMinute: hitPerMinute(dynamo, required(process.env, ENVIRONMENT.countersTable)),
  log: deliveryLog(dynamo, required(process.env, ENVIRONMENT.deliveryLogTable), {
    retentionDays: Number(required(process.env, ENVIRONMENT.deliveryLogRetentionDays)),
    now,
  }),
  logWriteFailed: logWriteFailed(logger, metrics),
  deliver,
  escalate: escalationTopics(snsClient()),
  forwarded: (ways: object) => logger.info('Forwarded', { ...ways }),
  settleFailed: (submissionId: string, cause: unknown) =>
    logger.error('A submission could not be settled', {
      submissionId,
      cause: cause instanceof Error ? cause.name : 'unknown',
    }),
  now,
  newId: randomUUID,
};

export const handler = httpHandler(logger, async (request, replyHeaders) => {
  const credentials = widgetCredentials(request, await visitorIp(request, originSecret));
  const { site_id: siteId = '', slug = '' } = request.path;
  try {
    const body = await submitForm(
      { siteId, slug, credentials, readBody: request.readBody },
      ports,
      allowPage(request, replyHeaders),
    );
    return { status: 200, body };
  } finally {
    await close();
    metrics.publishStoredMetrics();
  }
});
