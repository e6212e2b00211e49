import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Stage } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import * as z from 'zod';

/** An asset of any copy of the CDK, in the output of the app. */
const stagedAsset = z.object({ absoluteStagedPath: z.string() });
const READABLE_BY_ALL = 0o444; // The mode bits with which owner, group and others may read.

/**
 * Lets everybody read the files of all assets below a construct, those of the CDK's own functions too: Lambda runs code as another user than the one
 * to whom it belongs. The CDK puts the modes of the files into the archive, and with a umask such as 027 the installed packages and what is
 * built of them are for their owner.
 */
export function makeAssetsReadable(construct: IConstruct): void {
  const output = `${Stage.of(construct)?.assetOutdir}${sep}`;
  for (const part of construct.node.findAll()) {
    const { data: asset } = stagedAsset.safeParse(part);
    // Without staging, an asset is the folder of its source.
    if (!asset?.absoluteStagedPath.startsWith(output) || !statSync(asset.absoluteStagedPath).isDirectory()) continue;
    for (const path of filesBelow(asset.absoluteStagedPath)) {
      const { mode } = statSync(path);
      if ((mode & READABLE_BY_ALL) !== READABLE_BY_ALL) chmodSync(path, mode | READABLE_BY_ALL);
    }
  }
}

/** Lists the files in a folder and in those below. Follows no link, which may lead to a file that is missing, or elsewhere, or in a circle. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
