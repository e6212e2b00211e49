import { globSync } from 'node:fs';

/** The construct is imported by Node 20, which keeps no numbers as they were written. A function never runs there. */
test.each(globSync('src/contract/*.ts'))('%s can be imported by a Node without raw numbers', async (path) => {
  const { isRawJSON, rawJSON } = JSON;
  try {
    Reflect.deleteProperty(JSON, 'isRawJSON');
    Reflect.deleteProperty(JSON, 'rawJSON');
    // The query makes a new instance of the module.
    const address = new URL(`../../../${path}?older-node`, import.meta.url).href;
    expect(Object.keys(await import(address)).length).toBeGreaterThan(0);
  } finally {
    Object.assign(JSON, { isRawJSON, rawJSON });
  }
});
