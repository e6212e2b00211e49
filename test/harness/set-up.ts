import { fileURLToPath } from 'node:url';
import { createRunFolder } from './run-folder.ts';

const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/va-wave-compiled', import.meta.url));

/** Prepares a run. Jest calls it before the first suite. */
export default function setUp(): void {
  // Node compiles a command line or a service once, not for each process that a test starts. Node compares its cache with the source.
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  process.once('exit', createRunFolder());
}
