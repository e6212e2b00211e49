/** The loader that a page embeds with one async script tag. */
import { readSettings } from './script-tag.ts';
import { start } from './start.ts';

const settings = readSettings();
// hasOwn: an element with the id vaWave is reachable as window.vaWave too, but is no instance of ours.
if (settings && !Object.hasOwn(window, 'vaWave')) start(settings);
