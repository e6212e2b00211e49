#!/usr/bin/env node
/**
 * Runs the command line on Node 24 or newer, which runs TypeScript directly. An older Node starts the Node that npm ci has installed
 * in node_modules.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { olderNode } from './node-version.mjs';

const CANDIDATES = ['../node_modules/node/bin/node', '../node_modules/.bin/node'];

const problem = olderNode('va-wave');
if (problem === undefined) {
  // In the installation, because the system's folder for temporary files may be another user's.
  nodeModule.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/va-wave', import.meta.url)));
  await import('./main.ts');
} else {
  const node = CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
  if (node === undefined) {
    console.error(problem);
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
    // Ctrl-C reaches the whole process group. Other signals reach only this process, which forwards them to the child.
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
