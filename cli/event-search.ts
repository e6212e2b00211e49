import type { Command } from 'commander';
import type { EventSearch } from '../src/domain/operations/event-attempts.ts';
import { positive } from './values.ts';

const HOURS = 24;

/** The options that say when an event happened. */
export type When = { readonly at?: string; readonly hours: number };

export const searchOf = ({ at, hours }: When): EventSearch => (at === undefined ? { hours } : { at });

export function withTime(command: Command): Command {
  return command
    .option('--at <time>', "the event's exact time from its envelope; makes the search fast")
    .option('--hours <number>', 'without --at, how many hours to search', positive, HOURS);
}
