import { Deliveries } from './deliveries.ts';
import { actions, calls, forms, sessions } from './limits.ts';
import type { Scenario } from './schedule.ts';

/** All kinds of schedules. */
export const SCENARIOS: readonly { readonly name: string; readonly run: Scenario }[] = [
  { name: 'deliveries', run: (world) => new Deliveries(world, {}).run() },
  { name: 'calls', run: (world) => calls(world) },
  { name: 'sessions', run: (world) => sessions(world) },
  { name: 'forms', run: (world) => forms(world) },
  { name: 'actions', run: (world) => actions(world) },
];
