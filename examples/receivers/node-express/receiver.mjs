import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { actionMiddleware } from '@va-wave/receiver';
import express from 'express';

const { SIGNING_SECRET: secret, TRIGGER: trigger = 'event', INBOX = 'inbox' } = process.env;
const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
if (!secret) throw new Error('Set SIGNING_SECRET to the signing secret of the Action');
mkdirSync(INBOX, { recursive: true });

const printRefusal = ({ status, message }) => console.log(`refused: ${status} ${message}`);

/**
 * Resolves when the bytes are on the disk; their name may be lost when the power fails at once. Writes nothing when the name exists, because the request is then a repeat.
 * In production, use a table with a unique key.
 */
async function storeOnce(name, content) {
  const temporary = join(INBOX, `.${randomUUID()}`);
  const file = await open(temporary, 'wx');
  try {
    await file.writeFile(content);
    await file.sync();
    // `link` fails when the name exists, so two concurrent requests create one file.
    await link(temporary, join(INBOX, name));
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    await file.close();
    await unlink(temporary);
  }
}

const app = express();

// Register this before express.json(), because the signature covers the raw bytes. The middleware answers 400, 401, 408 and 413.
app.all('/actions', actionMiddleware({ trigger, secret, onRefused: printRefusal }), async (_request, response) => {
  const { triggerRef, deduplicationKey, rawBody } = response.locals.action;
  const id = deduplicationKey ?? randomUUID();
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) {
    printRefusal({ status: 400, message: 'The id is no file name' });
    return response.status(400).json({ error: 'The id is no file name' });
  }
  const name = `${trigger}-${id}.json`;
  // The bytes, because JSON.stringify(JSON.parse(…)) changes a number of more than 15 digits.
  await storeOnce(name, rawBody);
  console.log(`verified: ${trigger} ${inspect(triggerRef)}, kept in ${name}`);
  response.json({ received: true });
});

app.use(express.json());
// … the other routes of your application

app.listen(Number(PORT), HOST, () => console.log(`listening on http://${HOST}:${PORT}/actions`));
