import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeKept } from './data-folder.ts';

/**
 * A script of the shell that removes the files after its input has ended, unless a later process has written them. $0 is the id of this
 * process; `writeKept` writes `pid`, the last property, on a line of its own.
 */
const GUARD = 'cat; for file do if grep -qs "\\"pid\\": $0$" "$file"; then rm -f "$file"; fi; done';

/** They go with this process, also when it is killed: one of the shell then removes them. @returns what removes them */
export function writeReadyFiles(files: readonly string[], ready: object): () => Promise<void> {
  const guard = spawn('sh', ['-c', GUARD, String(process.pid), ...files], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const guardExit = once(guard, 'close').catch(() => {});
  for (const file of files) writeKept(file, { ...ready, pid: process.pid });
  return async () => {
    guard.stdin.end();
    await guardExit;
  };
}
