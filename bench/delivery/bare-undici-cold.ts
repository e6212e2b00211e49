import { start as startWith } from './bare-undici.ts';
import type { Contender, ContenderSettings } from './contender.ts';

/** Sends with undici and opens a new connection for each request. */
export const start = (settings: ContenderSettings): Promise<Contender> => startWith(settings, 0);
