import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { readDocument, samples } from '../../unit/docs/documents.ts';
import { actionRequests, eventRequest, SIGNING_SECRET } from '../../unit/examples/action-requests.ts';
import { atPresent, vectors } from '../../unit/packages/receiver/vectors.ts';
import { type Command, type RunningExample, startExample } from './child.ts';
import { send } from './send.ts';
import { describeWhere, type Missing } from './where-installed.ts';

const root = resolve(import.meta.dirname, '../../..');
const written = samples(readDocument('docs/receiving.md'));

/** A recipe of docs/receiving.md, and what runs it. */
export type Recipe = {
  readonly name: string;
  readonly heading: string;
  readonly missing?: Missing;
  /** The path of the file that the recipe is. */
  readonly file: string;
  /** The reader's other files, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the repository, by path in the folder. */
  readonly copies?: Readonly<Record<string, string>>;
  /** The folders of packages, by name. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Starts the server at `$PORT`, in bash. */
  readonly start: string;
  /** Makes what the server needs, such as packages. */
  readonly prepare?: (folder: string) => void | Promise<void>;
  /** The recipe has this method only. */
  readonly only?: 'POST';
};

/** Writes what arrives into the folder `$INBOX`, as the reader's own code would write it into a table. */
export const STORES = {
  'store.js': `import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
export const storeOnce = (key, bytes) => writeFile(\`\${process.env.INBOX}/\${key ?? randomUUID()}\`, bytes);
`,
  'store.py': `import os
def store_once(key, content):
    with open(os.path.join(os.environ["INBOX"], key), "wb") as file:
        file.write(content)
`,
  'store.go': `package main

import "os"

func storeOnce(key string, content []byte) error {
	return os.WriteFile(os.Getenv("INBOX")+"/"+key, content, 0o600)
}
`,
  'store.php': `<?php
function store_once(string $key, string $content): void { file_put_contents(getenv('INBOX') . "/$key", $content); }
`,
};

export const PYTHON_COPIES = { 'verify.py': 'examples/receivers/python-flask/verify.py' };

function writeRecipe(recipe: Recipe, folder: string): void {
  const code = written.find(({ heading }) => heading === recipe.heading)?.code;
  if (code === undefined) throw new Error(`docs/receiving.md has no recipe ${recipe.heading}`);
  for (const [path, text] of Object.entries({ ...recipe.files, [recipe.file]: code })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const [path, source] of Object.entries(recipe.copies ?? {})) cpSync(join(root, source), join(folder, path));
  for (const [name, target] of Object.entries(recipe.packages ?? {})) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', target), link, 'dir');
  }
}

/** Runs a recipe as it is printed, and sends it the vectors, signed again now, and what every receiver is tested with. */
export function describeRecipe(recipe: Recipe, parent = temporaryFolder()): void {
  describeWhere(recipe.missing, `docs/receiving.md: ${recipe.name}`, () => {
    const folder = join(parent, recipe.name.replace(/\W+/g, '-'));
    const inbox = join(folder, 'inbox');
    let command: Command;
    let running: RunningExample;

    beforeAll(async () => {
      mkdirSync(inbox, { recursive: true });
      writeRecipe(recipe, folder);
      await recipe.prepare?.(folder);
      command = { command: 'bash', args: ['-c', `exec ${recipe.start}`], cwd: folder };
      running = await startExample(command, { SIGNING_SECRET: ` "${SIGNING_SECRET}"\r\n`, INBOX: inbox });
    }, 600_000);
    afterAll(() => running?.stop());

    test('answers as the vectors expect, and keeps the bytes of what is genuine once', async () => {
      const now = new Date();
      const ofVectors = vectors.actions
        .filter(({ secret, trigger }) => secret === SIGNING_SECRET && trigger === 'event')
        .map((vector) => {
          const { name, method, headers, body, expected } = atPresent(vector, now);
          const bytes = method === 'GET' ? null : Buffer.from(body);
          const request = { method, url: '', headers: { 'Content-Type': 'application/json', ...headers }, body: bytes };
          return { name, request, status: expected.status };
        });
      expect(ofVectors.length).toBeGreaterThan(20);
      const shared = actionRequests(now).filter(({ trigger }) => trigger === 'event');
      const requests = [...ofVectors, ...shared].filter(({ request }) =>
        [request.method, undefined].includes(recipe.only ?? request.method),
      );
      const answers: (readonly [string, number])[] = [];
      for (const { name, request } of [...requests, ...requests.filter(({ request }) => request.body !== null)]) {
        answers.push([name, (await send(`http://127.0.0.1:${running.port}/actions`, request)).status]);
      }
      const expected = requests.map(({ name, status }) => [name, status]);
      const repeated = requests
        .filter(({ request }) => request.body !== null)
        .map(({ name, status }) => [name, status]);
      expect(answers).toEqual([...expected, ...repeated]);

      const textOf = (body: Uint8Array | null) => Buffer.from(body ?? []).toString();
      const genuine = requests.filter(({ status }) => status === 200).map(({ request }) => textOf(request.body));
      // Some vectors are one event, signed at another time. Requests without a body have no key.
      const once = [...new Set(genuine.filter((body) => body !== '')), ...genuine.filter((body) => body === '')];
      const kept = readdirSync(inbox).map((name) => textOf(readFileSync(join(inbox, name))));
      expect(kept.sort()).toEqual(once.sort());
    });

    test('refuses a body above 1 MiB', async () => {
      const [genuine] = actionRequests(new Date());
      const large = {
        method: 'POST',
        url: '',
        headers: genuine?.request.headers ?? {},
        body: Buffer.alloc(2 ** 20 + 1),
      } as const;
      const { status } = await send(`http://127.0.0.1:${running.port}/actions`, large);
      expect([400, 401, 413]).toContain(status);
    });

    test.each(['', ' "" '])('lets nobody in without its secret: %j', async (secret) => {
      await running.stop();
      const begun = startExample(command, { SIGNING_SECRET: secret, INBOX: inbox });
      running = await begun.catch(() => running);
      const signed = eventRequest({ now: new Date(), secret: '' });
      const noAnswer = { status: 500 };
      const { status } = await send(`http://127.0.0.1:${running.port}/actions`, signed).catch(() => noAnswer);
      expect(status).toBe(500);
    });
  });
}
