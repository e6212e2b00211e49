#!/usr/bin/env node
import { isNodeNewEnough } from './node-version.mjs';

// The command line in the package @va-wave/cdk, whose build.ts compiles it for this Node. An older one reads this file, but not the module that it imports.
if (isNodeNewEnough('va-wave', '22.19', '')) await import('./main.ts');
