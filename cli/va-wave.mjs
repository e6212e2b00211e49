#!/usr/bin/env node
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNodeNewEnough } from './node-version.mjs';

// `npx --no-install va-wave` runs this on the Node of node_modules, as npm does with scripts. Node 24 runs TypeScript directly.
if (isNodeNewEnough('va-wave')) {
  // The cache of compiled code is in the installation, because the system's folder for temporary files may be another user's.
  nodeModule.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/va-wave', import.meta.url)));
  await import('./main.ts');
}
