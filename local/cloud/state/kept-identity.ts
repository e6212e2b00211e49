import { existsSync } from 'node:fs';
import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';
import { writeFileAtomically } from './atomic-file.ts';
import type { DataFolder } from './data-folder.ts';
import { readKept } from './kept-json.ts';

const port = z.int().min(1).max(65_535);
const identity = z.object({
  /** The ports of the listeners that have no option for one. */
  ports: z.object({ api: port, gateway: port, login: port }),
  operator: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  /** The private key, as a JWK, with which the login signs its tokens. */
  loginKey: z.record(z.string(), z.unknown()),
});

/** By what clients know this machine. A restart keeps it, so that they go on. */
export type Identity = z.infer<typeof identity>;

/** The files that a folder has after its first complete start. Without one of them, the others hold what nobody can use. */
const BELONGING = { 'secrets.json': 'the keys', 'dynamodb.db': 'the tables' } as const;

/** @throws CloudError when the file cannot be read, or a file that belongs to it is gone */
export function readIdentity(folder: DataFolder): Identity | undefined {
  const kept = readKept(folder.file('identity.json'), identity);
  if (kept === undefined) return undefined;
  for (const [name, what] of Object.entries(BELONGING)) {
    if (existsSync(folder.file(name)) || (name === 'dynamodb.db' && process.env.DYNAMODB_ENDPOINT)) continue;
    throw new CloudError(
      `${folder.file(name)}, which has ${what} of the state in this folder, is gone. Restore it, or delete the data folder to start without state`,
    );
  }
  return kept;
}

export function keepIdentity(folder: DataFolder, kept: Identity): void {
  writeFileAtomically(folder.file('identity.json'), `${JSON.stringify(kept, null, 2)}\n`);
}
