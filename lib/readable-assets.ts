import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IConstruct } from 'constructs';
import * as z from 'zod';

/** An asset of any copy of the CDK, in the output of the app. */
const staged = z.object({ absoluteStagedPath: z.string() });
const FOR_ALL = 0o444;

/**
 * Lets everybody read the files of all assets below a construct, those of the CDK's own functions too: Lambda runs code as another user than the one
 * to whom it belongs. The CDK puts the modes of the files into the archive, and with a umask such as 027 the installed packages and what is
 * built of them are for their owner.
 */
export function makeAssetsReadable({ node }: IConstruct): void {
  for (const part of node.findAll()) {
    const { data: asset } = staged.safeParse(part);
    if (asset === undefined || !statSync(asset.absoluteStagedPath).isDirectory()) continue;
    for (const name of readdirSync(asset.absoluteStagedPath, { encoding: 'utf8', recursive: true })) {
      const path = join(asset.absoluteStagedPath, name);
      const file = statSync(path);
      if (file.isFile() && (file.mode & FOR_ALL) !== FOR_ALL) chmodSync(path, file.mode | FOR_ALL);
    }
  }
}
