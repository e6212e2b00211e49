import { Deliveries } from './deliveries.ts';
import type { Scenario } from './schedule.ts';

/** All kinds of schedules. */
export const SCENARIOS: readonly { readonly name: string; readonly run: Scenario }[] = [
  { name: 'deliveries', run: (world) => new Deliveries(world, {}).run() },
];
