import { functionLogger } from '../../src/adapters/handlers/function-logger.ts';
import { httpHandler } from '../../src/adapters/handlers/http.ts';
import { Refusal } from '../../src/domain/refusal.ts';

export const handler = httpHandler(functionLogger('not-found'), async () => {
  throw new Refusal('not_found');
});
