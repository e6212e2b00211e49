import type { Authorizer } from '../access/authorizer.ts';
import { CloudError } from '../cloud-error.ts';
import type { ScheduleDefinition } from '../template/model.ts';
import type { FunctionPool } from './function-pool.ts';
import type { FunctionPools } from './function-pools.ts';

type SchedulesOptions = {
  readonly definitions: readonly ScheduleDefinition[];
  readonly functions: FunctionPools;
  readonly authorizer: Authorizer;
  readonly onError: (message: string) => void;
};

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
/** What a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** Runs functions by the clock, as the rules say. The clock starts with this machine: what was due before is not made up for. */
export class Schedules {
  readonly #timers: readonly NodeJS.Timeout[];

  /** @throws CloudError when an expression or a target is not known here */
  constructor({ definitions, functions, authorizer, onError }: SchedulesOptions) {
    this.#timers = definitions
      .filter(({ properties }) => properties.State === 'ENABLED')
      .flatMap((definition) =>
        definition.properties.Targets.map((target) => {
          const pool = functions.find(target.Arn);
          if (pool === undefined)
            throw new CloudError(`${definition.logicalId} runs ${target.Arn}, no function of the stack`);
          const run = () => invoke(pool, definition.arn, authorizer, onError);
          return setInterval(run, periodMs(definition)).unref();
        }),
      );
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

function periodMs({ logicalId, properties }: ScheduleDefinition): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(properties.ScheduleExpression) ?? [];
  const period = Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  if (period > 0 && period <= LONGEST_MS) return period;
  throw new CloudError(`${logicalId} has the schedule ${properties.ScheduleExpression}; known are rates up to 24 days`);
}

function invoke(pool: FunctionPool, ruleArn: string, authorizer: Authorizer, onError: (message: string) => void): void {
  const caller = { kind: 'service', service: 'events.amazonaws.com', sourceArn: ruleArn } as const;
  const denial = authorizer.check(caller, { action: 'lambda:InvokeFunction', resource: pool.definition.arn });
  if (denial !== undefined) return;
  pool.invoke('{}').then(
    ({ failed, payload }) => failed && onError(`${pool.definition.logicalId}: ${payload}`),
    (error: unknown) => onError(`${pool.definition.logicalId}: ${String(error)}`),
  );
}
