/** The loader that a page embeds with one async script tag. */
import { stubOf } from './queue.ts';
import { readSettings } from './script-tag.ts';
import { start } from './start.ts';

const settings = readSettings();
const stub = stubOf(window);
// hasOwn: an element with the id vaWave is reachable as window.vaWave too, but is no instance of ours.
if (settings && (stub || !Object.hasOwn(window, 'vaWave'))) start(settings, stub);
