import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { PUBLIC_OPERATIONS } from '../../src/contract/public-operations.ts';
import { preflight } from '../../src/domain/auth/cors.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { functionOriginSecret } from '../../src/functions/function-secrets.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { setting } from '../../src/functions/settings.ts';
import { isDistributionRequired, isFromDistribution, preflightHeaders } from '../../src/functions/widget-request.ts';

const configuration = configurationReads(dynamoDb(dynamoDbClient()), setting('configurationTable'));
const isOriginSecret = isDistributionRequired(process.env) ? functionOriginSecret() : undefined;

export const handler = httpHandler(functionShell('preflight'), async (request) => {
  if (isOriginSecret && !(await isFromDistribution(request, isOriginSecret)))
    throw new Refusal('distribution_required');
  const { headers, rawPath, query } = request;
  const origin = await preflight({ path: rawPath, site: query.site, origin: headers.origin }, configuration);
  // No page may call session create or the dashboard from another origin.
  const isWidgets = rawPath === PUBLIC_OPERATIONS.initWidget.path || rawPath.startsWith('/api/widgets/');
  if (origin !== undefined && isWidgets) {
    Object.assign(request.answerHeaders, preflightHeaders(origin, headers['access-control-request-headers']));
  }
  return { status: 204 };
});
