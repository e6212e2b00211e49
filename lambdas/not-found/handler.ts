import { Refusal } from '../../src/domain/refusal.ts';
import { functionLogger } from '../../src/functions/function-logger.ts';
import { httpHandler } from '../../src/functions/http.ts';

export const handler = httpHandler(functionLogger('not-found'), async () => {
  throw new Refusal('not_found');
});
