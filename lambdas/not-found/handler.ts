import { Refusal } from '../../src/domain/refusal.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { functionLogger } from '../../src/functions/shell.ts';

export const handler = httpHandler(functionLogger('not-found'), async () => {
  throw new Refusal('not_found');
});
