import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { distributionOnly } from '../../src/adapters/handlers/distribution-only.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { functionLogger } from '../../src/adapters/handlers/function-logger.ts';
import { functionOriginSecret } from '../../src/adapters/handlers/function-secrets.ts';
import { httpHandler } from '../../src/adapters/handlers/http.ts';
import { allowPreflight } from '../../src/adapters/handlers/widget-request.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { preflight, preflightSite } from '../../src/domain/auth/cors.ts';

const logger = functionLogger('preflight');
const ports = configurationReads(dynamoDb(dynamoDbClient()), required(process.env, ENVIRONMENT.configurationTable));

const requireDistribution = distributionOnly(process.env, () => functionOriginSecret(process.env));

export const handler = httpHandler(logger, async (request, replyHeaders) => {
  await requireDistribution(request);
  const { headers, rawPath, query } = request;
  const origin = await preflight({ origin: headers.origin, siteId: preflightSite(rawPath, query.site) }, ports);
  if (origin !== undefined) allowPreflight(origin, replyHeaders);
  return { status: 204 };
});
