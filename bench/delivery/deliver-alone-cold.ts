import type { Contender, ContenderSettings } from './contender.ts';
import { start as startWith } from './deliver-alone.ts';

/** The outbound pipeline with a fresh connection for every request, as all kinds but Event deliveries have it. */
export const start = (settings: ContenderSettings): Promise<Contender> => startWith(settings, false);
