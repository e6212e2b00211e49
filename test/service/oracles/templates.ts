import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { synthesizedChoices } from '../lib/synthesized.ts';

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

/** Returns the paths of the templates of all choices that are tested. */
export async function templateFiles(): Promise<readonly string[]> {
  const folder = await synthesizedChoices();
  return globSync('*/*.template.json', { cwd: folder }).map((file) => join(folder, file));
}

/** Returns the resources of all these templates. */
export const resourcesOf = (files: readonly string[]) =>
  files.flatMap((file) => Object.values(template.parse(JSON.parse(readFileSync(file, 'utf8'))).Resources));
