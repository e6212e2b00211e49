import { start as startWith } from './bare-undici.ts';
import type { Contender, ContenderSettings } from './contender.ts';

/** undici with a fresh connection for every request. */
export const start = (settings: ContenderSettings): Promise<Contender> => startWith(settings, 0);
