import type { Command } from 'commander';
import type { EventSearch } from '../src/domain/operations/event-attempts.ts';
import { positive } from './values.ts';

const HOURS = 24;

/** When an event was, as the options say it. */
export type When = { readonly at?: string; readonly hours: number };

export const searchOf = ({ at, hours }: When): EventSearch => (at === undefined ? { hours } : { at });

export function withTime(command: Command): Command {
  return command
    .option('--at <time>', "the event's time, exactly as in its envelope: found at once")
    .option('--hours <number>', 'without --at, how far to look back', positive, HOURS);
}
