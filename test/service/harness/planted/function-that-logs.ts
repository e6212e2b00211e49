import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Authorizer } from '../../../../local/cloud/access/authorizer.ts';
import { functionLog } from '../../../../local/cloud/functions/function-log.ts';
import { COLLECTION } from '../../../harness/logs/collected.ts';
import { logged } from '../../../unit/lambdas/invocation.ts';

const logger = new Logger({ serviceName: 'planted' });
const planted = { detail: process.env.PLANTED };

/** The paths on which a function's log lines reach the reporter. */
const LOG: Readonly<Record<string, (message: string) => unknown>> = {
  'a handler that a test calls': (message) => logged(async () => logger.info(message, planted)),
  'a handler whose log the test does not read': (message) => logger.info(message, planted),
  'a function of a local cloud': async (message) => {
    const folder = mkdtempSync(join(tmpdir(), 'va-wave-planted-'));
    const authorizer = new Authorizer();
    const options = {
      caller: { kind: 'operator' },
      logGroup: 'planted',
      authorizer,
      copy: process.env[COLLECTION],
      onError: () => undefined,
    } as const;
    functionLog({ file: join(folder, 'log'), ...options })(
      `${JSON.stringify({ message, service: 'planted', ...planted })}\n`,
    );
    // The log writes at the end of this turn of the event loop.
    await nextTurn();
    rmSync(folder, { recursive: true });
  },
};

/** Logs the value of `PLANTED`. log-reporter.night.test.ts runs this suite in its own process. */
test.each(Object.entries(LOG))('%s logs a line', async (path, log) => {
  await log(`Planted by ${path}`);
});
