import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { CloudError, messageOf } from '../cloud-error.ts';
import { parseObject } from '../json.ts';
import { writeFileAtomically } from './atomic-file.ts';

/** The version of the stored state. It increases when the state of older versions can no longer be read. */
const VERSION = 1;
const marker = z.object({ version: z.literal(VERSION) });

/** The folder with the local cloud's complete state. At most one running instance uses it. */
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
   * Creates the folder when it does not exist, locks it, and makes it readable only for its owner.
   * @throws CloudError when a running instance uses the folder, when it cannot be written, or when its state is unknown
   */
  static open(folder: string): DataFolder {
    const path = makeDataFolder(folder);
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

  /** Unlocks the folder for the next instance. */
  release(): void {
    rmSync(this.file('ready.json'), { force: true });
    this.#lock.close();
  }
}

/**
 * Creates the folder when it does not exist, and makes it readable only for its owner. Returns its path.
 * @throws CloudError
 */
export function makeDataFolder(folder: string): string {
  const path = resolve(folder);
  try {
    makeFolder(path);
  } catch (error) {
    throw new CloudError(`The data folder ${path} cannot be made (${messageOf(error)}). Name another with --data`);
  }
  try {
    // This also applies to an existing folder: it contains keys, customers' data and the running code.
    chmodSync(path, 0o700);
  } catch (error) {
    throw new CloudError(
      `Other users of this machine can read the data folder ${path}, and its mode cannot be changed (${messageOf(error)}). Name another with --data`,
    );
  }
  return path;
}

/** One folder after the other: below /proc, Node's own recursive call never returns. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Locks the folder with a lock of SQLite, which ends with the process in every case. A lock file with a process id could be stale. */
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
      const pid = existsSync(holder) ? ` (process ${readFileSync(holder, 'utf8')})` : '';
      throw new CloudError(
        `The data folder ${path} is used by a running instance${pid}. Stop it, or name another folder with --data`,
      );
    }
    throw new CloudError(
      `The data folder ${path} cannot be used (${messageOf(error)}). Delete it, or name another with --data`,
    );
  }
}

function checkMarker(path: string): void {
  const file = join(path, 'version.json');
  if (!existsSync(file)) writeFileAtomically(file, JSON.stringify({ version: VERSION }));
  if (!marker.safeParse(parseObject(readFileSync(file, 'utf8'))).success) {
    throw new CloudError(
      `The data folder ${path} holds state that this version cannot read. Delete it to start without state, or name another with --data`,
    );
  }
}
