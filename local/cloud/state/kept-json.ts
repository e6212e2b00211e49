import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { CloudError, codeOf } from '../cloud-error.ts';

/**
 * Reads a JSON file of the data folder. Returns undefined when there is none.
 * @throws CloudError when the file cannot be read, because what it holds would be lost
 */
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
