import type { Contender, ContenderSettings } from './contender.ts';
import { start as startWith } from './deliver-alone.ts';

/** Runs the outbound pipeline with a new connection for each request, as for all deliveries except Event deliveries. */
export const start = (settings: ContenderSettings): Promise<Contender> => startWith(settings, false);
