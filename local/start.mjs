import { isNodeNewEnough } from '../cli/node-version.mjs';

// npm runs scripts on the Node of node_modules. Before `npm ci`, or without install scripts, it is the one of the machine.
if (isNodeNewEnough('npm start')) await import('./start.ts');
