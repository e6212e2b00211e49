import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';
import { readKept, writeKept } from '../state/kept-file.ts';
import { eventOf } from './event-bridge.ts';
import type { EventTargets, Rule } from './event-targets.ts';

const MINUTE_MS = 60_000;
const UNITS: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS };

/** Fires the rules with a schedule, first one interval after their first start. Due times are kept across restarts. */
export class Scheduler {
  readonly #rules: readonly (readonly [Rule, everyMs: number])[];
  readonly #targets: Pick<EventTargets, 'deliver'>;
  readonly #file: string;
  /** When each rule is due, unix milliseconds, by ARN. */
  readonly #due: Record<string, number>;

  /** @throws CloudError on a schedule other than `rate(…)`, or a file that cannot be read */
  constructor(rules: readonly Rule[], targets: Pick<EventTargets, 'deliver'>, file: string) {
    this.#targets = targets;
    this.#file = file;
    this.#due = readKept(file, z.record(z.string(), z.number())) ?? {};
    this.#rules = rules.flatMap((rule) => {
      const { ScheduleExpression } = rule.properties;
      return ScheduleExpression === undefined ? [] : [[rule, intervalOf(ScheduleExpression)]];
    });
  }

  /** Fires what is due at this time (unix milliseconds), once, however long ago it was due. */
  fireDue(now: number): void {
    for (const [rule, everyMs] of this.#rules) {
      const next = now + everyMs;
      const due = this.#due[rule.arn] ?? Number.POSITIVE_INFINITY;
      if (due > now && due <= next) continue;
      this.#due[rule.arn] = next;
      writeKept(this.#file, this.#due);
      // It is new, or the clock was ahead when it was due.
      if (due > next) continue;
      const event = eventOf('Scheduled Event', 'aws.events', new Date(now), [rule.arn], {});
      this.#targets.deliver(rule, event, JSON.stringify(event));
    }
  }
}

/** The milliseconds of `rate(5 minutes)`. @throws CloudError on anything else */
export function intervalOf(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNITS[unit];
  if (unitMs === undefined || Number(count) < 1) {
    throw new CloudError(`The local cloud does not know the schedule ${expression}`);
  }
  return Number(count) * unitMs;
}
