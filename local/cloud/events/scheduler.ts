import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import { writeFileAtomically } from '../state/atomic-file.ts';
import { readKept } from '../state/kept-json.ts';
import type { EventTargets, Rule } from './event-targets.ts';

const MINUTE_MS = 60_000;
const UNITS: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS };

/** Fires the rules with a schedule, first one interval after their first start. Due times are kept across restarts. */
export class Scheduler {
  readonly #rules: readonly (readonly [Rule, everyMs: number])[];
  readonly #targets: EventTargets;
  readonly #file: string;
  /** When each rule is due, unix milliseconds, by ARN. */
  readonly #due: Map<string, number>;

  /** @throws CloudError on a schedule other than `rate(…)`, or a file that cannot be read */
  constructor(rules: readonly Rule[], targets: EventTargets, file: string) {
    this.#targets = targets;
    this.#file = file;
    this.#due = new Map(Object.entries(readKept(file, z.record(z.string(), z.number())) ?? {}));
    this.#rules = rules.flatMap((rule) => {
      const { ScheduleExpression } = rule.properties;
      return ScheduleExpression === undefined ? [] : [[rule, intervalOf(ScheduleExpression)]];
    });
  }

  /** Fires what is due at this time (unix milliseconds), once, however long ago it was due. */
  async fireDue(now: number): Promise<void> {
    let changed = false;
    for (const [rule, everyMs] of this.#rules) {
      const due = this.#due.get(rule.arn);
      if (due !== undefined && due > now) continue;
      this.#due.set(rule.arn, now + everyMs);
      changed = true;
      if (due !== undefined) await this.#fire(rule, now);
    }
    if (changed) writeFileAtomically(this.#file, JSON.stringify(Object.fromEntries(this.#due)));
  }

  /** Sends the event of a schedule to the rule's targets. */
  async #fire(rule: Rule, now: number): Promise<void> {
    const event = {
      version: '0',
      id: randomUUID(),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: ACCOUNT,
      time: `${new Date(now).toISOString().slice(0, 19)}Z`,
      region: REGION,
      resources: [rule.arn],
      detail: {},
    };
    await this.#targets.deliver(rule, event, JSON.stringify(event));
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
