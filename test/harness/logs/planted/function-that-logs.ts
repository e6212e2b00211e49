import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { Authorizer } from '../../../../local/cloud/access/authorizer.ts';
import { FunctionLog } from '../../../../local/cloud/functions/function-log.ts';
import { logged } from '../../../lambdas/invocation.ts';
import { COLLECTION } from '../collected.ts';

const line = { message: 'Planted', service: 'planted', detail: process.env.PLANTED };
const { message, service, ...more } = line;
const logger = new Logger({ serviceName: service });

const WAYS: Readonly<Record<string, () => unknown>> = {
  'a handler that a test calls': () => logged(async () => logger.info(message, more)),
  'a handler that nobody listens to': () => logger.info(message, more),
  'a function of a local cloud': () => {
    const folder = mkdtempSync(join(tmpdir(), 'va-wave-planted-'));
    const authorizer = new Authorizer({ onDenial: () => undefined });
    const options = {
      caller: { kind: 'operator' },
      logGroup: 'planted',
      authorizer,
      copy: process.env[COLLECTION],
      onError: () => undefined,
    } as const;
    new FunctionLog({ file: join(folder, 'log'), ...options }).write(`${JSON.stringify(line)}\n`);
    rmSync(folder, { recursive: true });
  },
};

/** A run of its own for reporter.test.ts: logs what `PLANTED` says, in the way that `PLANTED_BY` says. */
test('a function logs something', async () => {
  await WAYS[process.env.PLANTED_BY ?? '']?.();
});
