import { fileURLToPath } from 'node:url';
import { createRunFolder } from './run-folder.ts';

const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/va-wave-compiled', import.meta.url));

/** Prepares a run. Jest calls it before the first suite. */
export default function setUp(): void {
  // Node compiles a command line or a service once, not for each process that a test starts. Node compares its cache with the source.
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  // Without what costs the CDK seconds and changes no template: stack traces of tokens, and its rules, by which `npm run lint:templates` validates.
  process.env.CDK_DISABLE_STACK_TRACE ??= '1';
  process.env.CDK_VALIDATION ??= 'false';
  process.once('exit', createRunFolder());
}
