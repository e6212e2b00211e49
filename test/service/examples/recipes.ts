import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Trigger } from '../../../packages/receiver/src/index.ts';
import type { OutboundRequest } from '../../../src/domain/context.ts';
import { describeWhere, type Missing } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { readDocument, samples } from '../../unit/docs/documents.ts';
import {
  actionRequests,
  eventRequest,
  type SharedRequest,
  SIGNING_SECRET,
} from '../../unit/examples/action-requests.ts';
import { atPresent, vectors } from '../../unit/packages/receiver/vectors.ts';
import { type Command, type RunningExample, startExample } from './child.ts';
import { send } from './send.ts';

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
  'store.rb': `def store_once(key, content) = File.binwrite(File.join(ENV["INBOX"], key), content)
`,
  'Store.java': `package actions;

final class Store {
  static void storeOnce(String key, byte[] content) {
    try {
      java.nio.file.Files.write(java.nio.file.Path.of(System.getenv("INBOX"), key), content);
    } catch (java.io.IOException error) {
      throw new java.io.UncheckedIOException(error);
    }
  }
}
`,
};

export const PHP_COPIES = { 'verify.php': 'examples/receivers/php/verify.php' };
export const PYTHON_COPIES = { 'verify.py': 'examples/receivers/python-flask/verify.py' };

const KINDS = ['event', 'form', 'ai'] as const;

/** Writes the recipe for a kind of Action, with the one word replaced that the page names. */
function writeRecipe(recipe: Recipe, kind: Trigger, folder: string): void {
  const printed = written.find(({ heading }) => heading === recipe.heading)?.code;
  const code = printed?.replace(/(['"])event\1/, `$1${kind}$1`);
  if (code === undefined) throw new Error(`docs/receiving.md has no recipe ${recipe.heading}`);
  for (const [path, text] of Object.entries({ ...recipe.files, [recipe.file]: code })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const [path, source] of Object.entries(recipe.copies ?? {})) cpSync(join(root, source), join(folder, path));
  for (const [name, target] of Object.entries(recipe.packages ?? {})) {
    const link = join(folder, 'node_modules', name);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', target), link, 'dir');
  }
}

/** Runs a recipe for each kind of Action, and sends it the vectors, signed again now, and what every receiver is tested with. */
export function describeRecipe(recipe: Recipe, parent = temporaryFolder()): void {
  describeWhere(recipe.missing, `docs/receiving.md: ${recipe.name}`, () => {
    const folder = join(parent, recipe.name.replace(/\W+/g, '-'));
    const command: Command = { command: 'bash', args: ['-c', `exec ${recipe.start}`], cwd: folder };
    let running: RunningExample | undefined;

    const start = async (kind: Trigger, secret: string) => {
      await running?.stop();
      running = undefined;
      const inbox = join(folder, `inbox-${kind}`);
      mkdirSync(inbox, { recursive: true });
      running = await startExample(command, { SIGNING_SECRET: secret, INBOX: inbox });
      return inbox;
    };
    const statusOf = async (request: OutboundRequest) =>
      (await send(`http://127.0.0.1:${running?.port}/actions`, request)).status;
    afterAll(() => running?.stop());

    test.each(KINDS)(
      'answers an Action of the kind %s as the vectors expect, and keeps the bytes of what is genuine once',
      async (kind) => {
        writeRecipe(recipe, kind, folder);
        await recipe.prepare?.(folder);
        const inbox = await start(kind, ` "${SIGNING_SECRET}"\r\n`);
        const requests = requestsFor(kind).filter(({ request }) => {
          return [request.method, undefined].includes(recipe.only ?? request.method);
        });
        const withBody = requests.filter(({ request }) => request.body !== null);
        const answers: (readonly [string, number])[] = [];
        for (const { name, request } of [...requests, ...withBody]) answers.push([name, await statusOf(request)]);
        expect(answers).toEqual([...requests, ...withBody].map(({ name, status }) => [name, status]));

        const textOf = (body: Uint8Array | null) => Buffer.from(body ?? []).toString();
        const genuineOf = (shared: typeof requests) =>
          shared.filter(({ status }) => status === 200).map(({ request }) => textOf(request.body));
        const texts = genuineOf(requests);
        // Some vectors are one event, signed at another time. Requests without a body and calls of the assistant have no key.
        const isKeyed = (text: string) => text !== '' && kind !== 'ai';
        const once = [...new Set(texts.filter(isKeyed)), ...texts.filter((text) => !isKeyed(text))];
        const again = kind === 'ai' ? genuineOf(withBody) : [];
        const stored = readdirSync(inbox).map((name) => textOf(readFileSync(join(inbox, name))));
        expect(stored.sort()).toEqual([...once, ...again].sort());

        const [genuine] = requests;
        const large = Buffer.alloc(2 ** 20 + 1);
        const headers = genuine?.request.headers ?? {};
        expect([400, 401, 413]).toContain(
          await statusOf({ method: 'POST', url: '', headers, body: large, withheldTexts: [] }),
        );
      },
      600_000,
    );

    test.each(['', ' "" '])('lets nobody in without its secret: %j', async (secret) => {
      writeRecipe(recipe, 'event', folder);
      await recipe.prepare?.(folder);
      await start('event', secret).catch(() => undefined);
      const signed = eventRequest({ now: new Date(), secret: '' });
      expect(await statusOf(signed).catch(() => 500)).toBe(500);
    });
  });
}

/** Returns the vectors of a kind, signed again now, and what every receiver of the kind is tested with. */
function requestsFor(kind: Trigger): readonly SharedRequest[] {
  const now = new Date();
  const ofVectors = vectors.actions
    .filter(({ secret, trigger }) => secret === SIGNING_SECRET && trigger === kind)
    .map((vector): SharedRequest => {
      const { name, method, headers, body, expected } = atPresent(vector, now);
      const bytes = method === 'GET' ? null : Buffer.from(body);
      const request = {
        method,
        url: '',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: bytes,
        withheldTexts: [],
      };
      return { name, trigger: kind, request, status: expected.status };
    });
  const shared = actionRequests(now).filter(({ trigger }) => trigger === kind);
  expect(Math.min(ofVectors.length, shared.length)).toBeGreaterThan(7);
  return [...ofVectors, ...shared];
}
