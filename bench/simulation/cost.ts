import { simulated } from '../../scripts/costs.ts';
import type { Outcome } from './model.ts';

/** Returns the cost in dollars of a million events of 1 kB with one subscriber each, at the prices and counts of docs/costs.md. */
export const costPerMillion = ({ messages, invocations, busy }: Outcome): number =>
  simulated(messages / invocations, (busy / invocations) * 1000);
