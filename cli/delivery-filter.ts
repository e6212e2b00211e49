import { type Command, Option } from 'commander';
import { EVENT_NAMES } from '../src/contract/events.ts';
import type { EventAttempt } from '../src/domain/operations/event-attempts.ts';
import { invalidField } from '../src/domain/refusal.ts';
import { type Moment, moment, timeOf } from './values.ts';

const OUTCOMES = ['delivered', 'failed', 'unfinished'] as const;

/** The options that select attempts. */
export type FilterOptions = {
  readonly outcome?: (typeof OUTCOMES)[number];
  readonly event?: string;
  readonly since?: Moment;
  readonly until?: Moment;
};

export function withFilter(command: Command): Command {
  return command
    .addOption(new Option('--outcome <outcome>', 'only attempts with this outcome').choices(OUTCOMES))
    .option('--event <name>', 'only attempts of events with this name')
    .option(
      '--since <time>',
      'only attempts that started since this time: 30m, 1h or 2d ago, or 2026-03-04T05:06:00Z',
      moment,
    )
    .option('--until <time>', 'only attempts that started before this time', moment);
}

/** Returns a function that selects attempts. @throws Refusal 400 for an event that is not in the catalog */
export function attemptFilter(options: FilterOptions, now: Date): (record: EventAttempt) => boolean {
  const { outcome, event } = options;
  if (event !== undefined && !EVENT_NAMES.some((name) => name === event)) {
    throw invalidField('event', `${event} is not in the catalog (va-wave event list)`);
  }
  const since = options.since && timeOf(options.since, now);
  const until = options.until && timeOf(options.until, now);
  return (record) =>
    (outcome === undefined || outcomeOf(record) === outcome) &&
    (event === undefined || (record.trigger === 'event' && record.trigger_ref === event)) &&
    (since === undefined || record.started_at >= since) &&
    (until === undefined || record.started_at < until);
}

function outcomeOf({ state, success }: EventAttempt): (typeof OUTCOMES)[number] {
  return state === 'started' ? 'unfinished' : success ? 'delivered' : 'failed';
}
