import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomically } from '../cloud/state/atomic-file.ts';

/** The data that the demo's customer keeps between runs. */
const remembered = z.object({
  ports: z.object({ site: z.int(), receiver: z.int() }),
  organization: z
    .object({
      org_id: z.string(),
      website_site_id: z.string(),
      members_site_id: z.string(),
      /** The customer's backend keeps the secret. The service stores only its hash. */
      server_secret: z.string(),
    })
    .optional(),
});
export type Remembered = z.infer<typeof remembered>;

const FIRST: Remembered = { ports: { site: 8788, receiver: 8789 } };

/** Reads the kept data from the demo's folder. Returns the initial data when the file is missing or cannot be read. */
export function recall(folder: string): Remembered {
  const file = join(folder, 'customer.json');
  if (!existsSync(file)) return FIRST;
  try {
    return remembered.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return FIRST;
  }
}

export function remember(folder: string, value: Remembered): void {
  mkdirSync(folder, { recursive: true });
  writeFileAtomically(join(folder, 'customer.json'), `${JSON.stringify(value, null, 2)}\n`);
}
