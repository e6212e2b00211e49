import { olderNode } from '../cli/node-version.mjs';

// npm runs scripts on the Node of node_modules. Before `npm ci`, or without install scripts, it is the one of the machine.
const problem = olderNode('npm start');
if (problem === undefined) {
  await import('./start.ts');
} else {
  console.error(problem);
  process.exitCode = 1;
}
