import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { type Check, expectThat } from './check.ts';

const report = z.object({
  type: z.literal('platform.report'),
  record: z.object({ metrics: z.object({ initDurationMs: z.number().optional() }) }),
});

/** Inputs that a function refuses before it changes anything. Concurrent invocations make Lambda start new environments. */
const COLD: Readonly<Record<string, object>> = {
  [OUTPUTS.aiAction]: { operation: 'listTools', site_id: 'verification' },
  [OUTPUTS.usageReport]: { session_token: 'verification', usage: {} },
};
const AT_ONCE = 20;
/** A visitor waits this long, and for the work itself, at the first request after a time without requests. */
const COLD_START_MS = 1000;

export const coldStarts: Check = {
  name: `Cold starts take less than ${COLD_START_MS} ms`,
  run: async ({ access, output }) => {
    const lambda = new LambdaClient(access);
    const found: string[] = [];
    for (const [name, input] of Object.entries(COLD)) {
      const FunctionName = output(name);
      const command = new InvokeCommand({ FunctionName, LogType: 'Tail', Payload: JSON.stringify(input) });
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => lambda.send(command)));
      const times = answers
        .flatMap(({ LogResult = '' }) => Buffer.from(LogResult, 'base64').toString('utf8').split('\n'))
        .flatMap((line) => initDuration(line))
        .sort((a, b) => a - b);
      const worst = times.at(-1);
      expectThat(
        worst !== undefined,
        `${name}: none of ${AT_ONCE} invocations was a cold start; run the check again in 15 minutes`,
      );
      expectThat(worst !== undefined && worst < COLD_START_MS, `${name}: ${worst} ms`);
      found.push(`${name}: median ${times[times.length >> 1]} ms, worst ${worst} ms of ${times.length}`);
    }
    return found.join('; ');
  },
};

function initDuration(line: string): number[] {
  try {
    const parsed = report.safeParse(JSON.parse(line));
    const time = parsed.success ? parsed.data.record.metrics.initDurationMs : undefined;
    return time === undefined ? [] : [time];
  } catch {
    // The line is from the function itself, or the tail of the log cut it.
    return [];
  }
}
