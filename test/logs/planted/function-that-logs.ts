import { Logger } from '@aws-lambda-powertools/logger';
import { logged } from '../../lambdas/invocation.ts';

const logger = new Logger({ serviceName: 'planted' });

/** A run of its own for reporter.test.ts: logs what `PLANTED` says, in the way that `PLANTED_BY` says. */
test('a function logs something', async () => {
  const write = () => logger.info('Planted', { detail: process.env.PLANTED });
  if (process.env.PLANTED_BY === 'handler') await logged(async () => write());
  else write();
});
