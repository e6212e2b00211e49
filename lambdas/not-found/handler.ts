import { Logger } from '@aws-lambda-powertools/logger';
import { httpHandler } from '../../src/adapters/handlers/http.ts';
import { Refusal } from '../../src/domain/refusal.ts';

export const handler = httpHandler(new Logger({ serviceName: 'not-found' }), async () => {
  throw new Refusal('not_found');
});
