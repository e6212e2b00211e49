#!/usr/bin/env node
import { isNodeNewEnough } from '../../../cli/node-version.mjs';

// The command line of the package. An older Node reads this file, but not the module that it imports.
if (isNodeNewEnough('va-wave', '22.19', '')) await import('../../../cli/main.ts');
