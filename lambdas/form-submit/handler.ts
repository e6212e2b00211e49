import { randomUUID } from 'node:crypto';
import { dynamoDbClient, snsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { escalationTopics } from '../../src/adapters/escalation-topics.ts';
import { type SubmitFormPorts, submitForm } from '../../src/domain/actions/submit-form.ts';
import {
  functionOriginSecret,
  functionSessionTokens,
  functionSigningSecrets,
} from '../../src/functions/function-secrets.ts';
import { type Announced, httpHandler } from '../../src/functions/http.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { errorName, now, setting } from '../../src/functions/shell.ts';
import { distributionOnly, siteIdentified, visitorIp, widgetCredentials } from '../../src/functions/widget-request.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('form-submit', dynamo);
const { logger } = outbound;
const isOriginSecret = functionOriginSecret();
const requireDistribution = distributionOnly(process.env, () => isOriginSecret);
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable')),
  conversations: conversations(dynamo, setting('conversationsTable'), now),
  counters: rateLimits(dynamo, setting('countersTable')),
  tokens: functionSessionTokens(),
  signingSecrets: functionSigningSecrets(),
  escalate: escalationTopics(snsClient()),
  now,
  newId: randomUUID,
};
const reportTo = (announced: Announced): SubmitFormPorts['report'] => ({
  identified: (widget) => siteIdentified(widget, logger, announced),
  forwarded: ({ submissionId, ...outcomes }) =>
    logger.info('Forwarded a form submission', { submission_id: submissionId, ...outcomes }),
  settleFailed: (submissionId, cause) =>
    logger.error('The outcome of a form submission could not be stored', {
      submission_id: submissionId,
      cause: errorName(cause),
    }),
});

export const handler = httpHandler(logger, (request, announced, time) =>
  outbound.invocation(time, async (attempts) => {
    await requireDistribution(request);
    const credentials = widgetCredentials(request, await visitorIp(request, isOriginSecret));
    const { site_id: siteId = '', slug = '' } = request.path;
    const submission = { siteId, slug, credentials, readBody: request.readBody };
    const report = reportTo(announced);
    return { status: 200, body: await submitForm(submission, { ...context, attempts, report }) };
  }),
);
