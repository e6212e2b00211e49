// The loader that a page embeds with one async script tag.
import { stubOf } from './queue.ts';
import { readSettings } from './script-tag.ts';
import { start } from './start.ts';

const settings = readSettings();
const stub = stubOf(window);
// hasOwn excludes an element with the id vaWave, which is reachable as window.vaWave too.
if (settings && (stub || !Object.hasOwn(window, 'vaWave'))) start(settings, stub);
