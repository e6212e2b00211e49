import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { Authorizer } from '../../../../local/cloud/access/authorizer.ts';
import { FunctionLog } from '../../../../local/cloud/functions/function-log.ts';
import { logged } from '../../../lambdas/invocation.ts';
import { COLLECTION } from '../collected.ts';
import { WAYS } from './ways.ts';

const logger = new Logger({ serviceName: 'planted' });
const planted = { detail: process.env.PLANTED };

const LOG: Readonly<Record<(typeof WAYS)[number], (message: string) => unknown>> = {
  'a handler that a test calls': (message) => logged(async () => logger.info(message, planted)),
  'a handler that nobody listens to': (message) => logger.info(message, planted),
  'a function of a local cloud': (message) => {
    const folder = mkdtempSync(join(tmpdir(), 'va-wave-planted-'));
    const authorizer = new Authorizer({ onDenial: () => undefined });
    const options = {
      caller: { kind: 'operator' },
      logGroup: 'planted',
      authorizer,
      copy: process.env[COLLECTION],
      onError: () => undefined,
    } as const;
    new FunctionLog({ file: join(folder, 'log'), ...options }).write(
      `${JSON.stringify({ message, service: 'planted', ...planted })}\n`,
    );
    rmSync(folder, { recursive: true });
  },
};

/** For reporter.test.ts, which runs it by itself: logs what `PLANTED` says. */
test.each(WAYS)('%s logs something', async (way) => {
  await LOG[way](`Planted by ${way}`);
});
