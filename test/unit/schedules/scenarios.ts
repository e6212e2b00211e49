import { deletions } from './deletions.ts';
import { Deliveries } from './deliveries.ts';
import { keys } from './keys.ts';
import { actions, calls, forms, inFlight, sessions } from './limits.ts';
import type { Scenario } from './schedule.ts';

/** All kinds of schedules. */
export const SCENARIOS: readonly { readonly name: string; readonly run: Scenario }[] = [
  { name: 'deliveries', run: (world) => new Deliveries(world, {}).run() },
  { name: 'calls', run: (world) => calls(world) },
  { name: 'sessions', run: (world) => sessions(world) },
  { name: 'forms', run: (world) => forms(world) },
  { name: 'actions', run: (world) => actions(world) },
  { name: 'in-flight', run: (world) => inFlight(world) },
  { name: 'deletions', run: (world) => deletions(world) },
  { name: 'keys', run: (world) => keys(world) },
];
