#!/usr/bin/env node
import { olderNode } from '../../../cli/node-version.mjs';

// The command line of the package. An older Node reads this file, but not the module that it imports.
const problem = olderNode('va-wave', '22.19', '');
if (problem === undefined) {
  await import('../../../cli/main.ts');
} else {
  console.error(problem);
  process.exitCode = 1;
}
