import { fileURLToPath } from 'node:url';
import { createRunFolder } from './run-folder.ts';

const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/va-wave-compiled', import.meta.url));

/** What jest does before the first suite. */
export default function setUp(): void {
  // A command line or a service that a test starts is compiled once, and not each time. Node checks what it keeps against the source.
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  process.once('exit', createRunFolder());
}
