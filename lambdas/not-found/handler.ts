import { Refusal } from '../../src/domain/refusal.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { functionShell } from '../../src/functions/invocation.ts';

export const handler = httpHandler(functionShell('not-found'), async () => {
  throw new Refusal('not_found');
});
