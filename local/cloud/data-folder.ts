import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { CloudError, codeOf, messageOf } from './cloud-error.ts';

/** The content of version.json: the version of the stored state. It increases when the state of older versions can no longer be read. */
const marker = z.object({ version: z.literal(2) });
const port = z.int().min(1).max(65_535);
const identity = z.object({
  /** The ports of the listeners that have no option for one. */
  ports: z.object({ api: port, gateway: port, login: port }),
  operator: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  /** The private key, as a JWK, with which the login signs its tokens. */
  loginKey: z.record(z.string(), z.unknown()),
});

/** The ports and keys by which clients know this machine. A restart keeps them, so that the clients go on. */
export type MachineIdentity = z.infer<typeof identity>;

/** The files that a folder has after its first complete start, with what they hold. Without one of them, nobody can use the others. */
const FILES_OF_IDENTITY = { 'secrets.json': 'the keys', 'dynamodb.db': 'the tables' } as const;

/** The folder with the local cloud's complete state. At most one running instance uses it. */
export type DataFolder = ReturnType<typeof openDataFolder>;

/** Makes the folder, for its owner alone, and locks it. @throws CloudError when it is in use or its state unknown */
export function openDataFolder(folder: string) {
  const path = makeDataFolder(folder);
  const file = (name: string): string => join(path, name);
  const logs = file('logs');
  const lock = takeLock(path);
  try {
    const version = file('version.json');
    if (readKept(version, marker) === undefined) writeKept(version, { version: marker.shape.version.value });
    mkdirSync(logs, { recursive: true });
    // Of a process that ended with the machine.
    rmSync(file('ready.json'), { force: true });
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    path,
    logs,
    file,
    /** The identity of the earlier runs. @throws CloudError when its file cannot be read, or a file that belongs to it is gone */
    readIdentity(): MachineIdentity | undefined {
      const storedIdentity = readKept(file('identity.json'), identity);
      if (storedIdentity === undefined) return undefined;
      for (const [name, what] of Object.entries(FILES_OF_IDENTITY)) {
        // The DynamoDB of this variable keeps its tables itself.
        if (existsSync(file(name)) || (name === 'dynamodb.db' && process.env.DYNAMODB_ENDPOINT)) continue;
        throw new CloudError(
          `${file(name)}, which has ${what} of the state in this folder, is gone. Restore it, or delete the data folder to start without state`,
        );
      }
      return storedIdentity;
    },
    /** Keeps an identity. From then on, the folder is complete. */
    keepIdentity: (kept: MachineIdentity): void => writeKept(file('identity.json'), kept),
    release: (): void => lock.close(),
  };
}

function makeDataFolder(folder: string): string {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // This also applies to an existing folder: it contains keys, customers' data and the running code.
    chmodSync(path, 0o700);
  } catch (error) {
    throw new CloudError(
      `The data folder ${path} cannot be made for this user alone (${messageOf(error)}). Name another with --data`,
    );
  }
  return path;
}

/** Locks the folder with a lock of SQLite, which ends with the process in every case. A lock file with a process id could be stale. */
function takeLock(path: string): DatabaseSync {
  const pidFile = join(path, 'running');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, 'lock'));
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    writeFileSync(pidFile, String(process.pid));
    return lock;
  } catch (error) {
    lock?.close();
    if (/locked/.test(messageOf(error))) {
      const pid = existsSync(pidFile) ? ` (process ${readFileSync(pidFile, 'utf8')})` : '';
      throw new CloudError(
        `The data folder ${path} is used by a running instance${pid}. Stop it, or name another folder with --data`,
      );
    }
    throw new CloudError(
      `The data folder ${path} cannot be used (${messageOf(error)}). Delete it, or name another with --data`,
    );
  }
}

/** Reads a JSON file, if there is one. @throws CloudError when it cannot be read: what it holds would be lost */
export function readKept<Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema> | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CloudError(
      `The state in ${file} cannot be read. Delete the data folder to start without state, or name another with --data`,
    );
  }
}

export const writeKept = (file: string, value: unknown): void =>
  writeFileAtomically(file, `${JSON.stringify(value, null, 2)}\n`);

/**
 * Writes a file that only its owner can read. A reader, also after a crash, finds the complete old text or the complete new text. In a
 * folder that others can write, no file or link that somebody has prepared gets the text.
 */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
  renameSync(temporary, file);
}
