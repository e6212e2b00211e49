import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { CloudError, codeOf, messageOf } from '../cloud-error.ts';
import { parseObject } from '../json.ts';
import { writeFileAtomically } from './atomic-file.ts';

/** Raised when what an older version stored can no longer be read. */
const VERSION = 1;
const marker = z.object({ version: z.literal(VERSION) });

/** The folder that holds everything one machine remembers. At most one running machine owns it. */
export class DataFolder {
  readonly path: string;
  readonly logs: string;
  readonly #lock: DatabaseSync;

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.logs = join(path, 'logs');
    this.#lock = lock;
    mkdirSync(this.logs, { recursive: true });
  }

  /**
   * Creates the folder if need be, takes it, and lets no other user of the machine into it.
   * @throws CloudError when it is used by a running machine, cannot be written, or holds something else
   */
  static open(folder: string): DataFolder {
    const path = resolve(folder);
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      // Also when it was there before: it holds keys, everybody's data, and the code that runs.
      chmodSync(path, 0o700);
    } catch (error) {
      throw new CloudError(
        `The data folder ${path} cannot be made private (${messageOf(error)}). Name another with --data`,
      );
    }
    const lock = takeLock(path);
    try {
      checkMarker(path);
    } catch (error) {
      lock.close();
      throw error;
    }
    return new DataFolder(path, lock);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Lets the next machine have the folder. */
  release(): void {
    rmSync(this.file('ready.json'), { force: true });
    this.#lock.close();
  }
}

/** SQLite's lock goes with the process that holds it, however that ends: no stale file, no process id that means another. */
function takeLock(path: string): DatabaseSync {
  const holder = join(path, 'running');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, 'lock'));
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    writeFileSync(holder, String(process.pid));
    return lock;
  } catch (error) {
    lock?.close();
    if (/locked/.test(messageOf(error))) {
      const pid = readText(holder);
      throw new CloudError(
        `The data folder ${path} is used by a running instance${pid === undefined ? '' : ` (process ${pid})`}. Stop it, or name another folder with --data`,
      );
    }
    throw new CloudError(
      `The data folder ${path} cannot be used (${messageOf(error)}). Delete it, or name another with --data`,
    );
  }
}

function checkMarker(path: string): void {
  const file = join(path, 'version.json');
  const text = readText(file);
  if (text === undefined) writeFileAtomically(file, JSON.stringify({ version: VERSION }));
  else if (!marker.safeParse(parseObject(text)).success) {
    throw new CloudError(
      `The data folder ${path} holds state that this version cannot read. Delete it to start anew, or name another with --data`,
    );
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
