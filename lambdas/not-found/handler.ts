import { Logger } from '@aws-lambda-powertools/logger';
import { errorBody, httpHandler } from '../../src/adapters/handlers/http.ts';
import { MESSAGES } from '../../src/contract/messages.ts';

export const handler = httpHandler(new Logger({ serviceName: 'not-found' }), async () => ({
  status: 404,
  body: errorBody(MESSAGES.notFound),
}));
