import { randomUUID } from 'node:crypto';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Stores each received request in a file until your own code has processed it. In production, use a table with a unique key. Store a
 * request durably before you answer 2xx.
 * @param {string} directory
 */
export async function openInbox(directory) {
  await mkdir(directory, { recursive: true });

  return {
    /**
     * Resolves when the bytes are on the disk. Writes nothing when the name exists, because the request is then a repeat.
     * @param {string} name
     * @param {Uint8Array | string} content
     */
    async storeOnce(name, content) {
      const temporary = join(directory, `.${randomUUID()}`);
      const file = await open(temporary, 'wx');
      try {
        await file.writeFile(content);
        await file.sync();
        // `link` fails when the name exists, so two concurrent requests create one file.
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
