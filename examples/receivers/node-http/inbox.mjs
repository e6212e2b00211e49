import { randomUUID } from 'node:crypto';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Keeps what was received, one file per request, until your own code has worked it off. In production: a table with a unique
 * key. What matters is the order: durable first, then 2xx.
 * @param {string} directory
 */
export async function openInbox(directory) {
  await mkdir(directory, { recursive: true });

  return {
    /**
     * Resolves once the bytes are on the disk. A name that is there already is a repeat: nothing is written.
     * @param {string} name
     * @param {Uint8Array | string} content
     */
    async storeOnce(name, content) {
      const temporary = join(directory, `.${randomUUID()}`);
      const file = await open(temporary, 'wx');
      try {
        await file.writeFile(content);
        await file.sync();
        // Fails when the name exists, whoever made it: two requests at the same moment leave one file.
        await link(temporary, join(directory, name));
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      } finally {
        await file.close();
        await unlink(temporary);
      }
    },
  };
}
