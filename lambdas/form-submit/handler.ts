import { dynamoDbClient, snsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations.ts';
import { hitPerHour, hitPerMinute } from '../../src/adapters/dynamodb/rate-limits.ts';
import { escalationTopics } from '../../src/adapters/escalation-topics.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { type SubmitFormPorts, submitForm } from '../../src/domain/actions/submit-form.ts';
import { identifyWidget } from '../../src/domain/auth/authenticate-widget.ts';
import {
  functionOriginSecret,
  functionSessionTokens,
  functionSigningSecrets,
} from '../../src/functions/function-secrets.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { errorName, now, required } from '../../src/functions/shell.ts';
import { distributionOnly, siteIdentified, visitorIp, widgetCredentials } from '../../src/functions/widget-request.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('form-submit', process.env, dynamo);
const { logger } = outbound;
const isOriginSecret = functionOriginSecret(process.env);
const requireDistribution = distributionOnly(process.env, () => isOriginSecret);
const ports = {
  ...outbound.ports,
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...conversations(dynamo, required(process.env, ENVIRONMENT.conversationsTable), now),
  ...functionSessionTokens(process.env),
  ...functionSigningSecrets(process.env),
  hitPerMinute: hitPerMinute(dynamo, required(process.env, ENVIRONMENT.countersTable)),
  hitPerHour: hitPerHour(dynamo, required(process.env, ENVIRONMENT.countersTable)),
  escalate: escalationTopics(snsClient()),
  forwarded: ({ submissionId, ...outcomes }: Parameters<SubmitFormPorts['forwarded']>[0]) =>
    logger.info('Forwarded a form submission', { submission_id: submissionId, ...outcomes }),
  settleFailed: (submissionId: string, cause: unknown) =>
    logger.error('The outcome of a form submission could not be stored', {
      submission_id: submissionId,
      cause: errorName(cause),
    }),
};

export const handler = httpHandler(logger, (request, announced, context) =>
  outbound.invocation(context, async ({ makeAttempt }) => {
    await requireDistribution(request);
    const credentials = widgetCredentials(request, await visitorIp(request, isOriginSecret));
    const { site_id: siteId = '', slug = '' } = request.path;
    const widget = await identifyWidget(credentials, ports);
    siteIdentified(widget, logger, announced);
    const submission = { siteId, slug, widget, readBody: request.readBody };
    return { status: 200, body: await submitForm(submission, { ...ports, makeAttempt }) };
  }),
);
