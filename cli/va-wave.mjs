#!/usr/bin/env node
/**
 * Runs the command line on Node 24 or newer, which reads TypeScript by itself. Under an older one it hands over to the Node
 * that npm ci put beside it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const NODE_NEEDED = 24;
const CANDIDATES = ['../node_modules/node/bin/node', '../node_modules/.bin/node'];

if (Number(process.versions.node.split('.')[0]) >= NODE_NEEDED) {
  await import('./main.ts');
} else {
  const node = CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
  if (node === undefined) {
    console.error(
      `va-wave needs Node ${NODE_NEEDED} or newer, and this is ${process.version}. npm ci installs one beside it.`,
    );
    process.exitCode = 1;
  } else {
    handOver(node);
  }
}

/** @param {string} node */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) {
    // Ctrl-C reaches the whole process group by itself; whoever sends a signal to us alone means the child as well.
    process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`va-wave cannot start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
}
