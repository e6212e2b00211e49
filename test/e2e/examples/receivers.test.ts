import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutboundRequest } from '../../../src/domain/delivery/outbound-request.ts';
import { createAuthority } from '../../adapters/outbound/authority.ts';
import {
  actionRequests,
  aiRequest,
  eventRequest,
  formRequest,
  SIGNING_SECRET,
} from '../../examples/action-requests.ts';
import { copiedExample, started } from '../../examples/copied-example.ts';
import { describeWhere, type Missing, missingUnless } from '../../examples/where-installed.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { type Command, type RunningExample, startExample } from './child.ts';
import { send } from './send.ts';

/** Prepares a copy of the example in a folder outside the repository. */
type Prepare = (folder: string) => Promise<Command>;

/** At its first use, Go compiles its standard library, which takes two thirds of the time without optimizations. */
const GO_BUILD = ['build', '-gcflags=all=-N -l', '-o', 'receiver', '.'];

const RECEIVERS: readonly { readonly name: string; readonly missing: Missing; readonly prepare: Prepare }[] = [
  {
    name: 'node-express',
    missing: undefined,
    prepare: async (folder) => started(await copiedExample('receivers/node-express', folder)),
  },
  {
    name: 'python-flask',
    missing: missingUnless('Flask', ['python3', '-c', 'import flask']),
    prepare: async (folder) => {
      const cwd = await copiedExample('receivers/python-flask', folder);
      return { command: 'python3', args: ['-B', 'receiver.py'], cwd };
    },
  },
  {
    name: 'go',
    missing: missingUnless('Go', ['go', 'version']),
    prepare: async (folder) => {
      const cwd = await copiedExample('receivers/go', folder);
      execFileSync('go', GO_BUILD, { cwd, stdio: 'inherit' });
      return { command: join(cwd, 'receiver'), args: [], cwd };
    },
  },
];

const authority = createAuthority();
const identity = authority.issue(['127.0.0.1']);

for (const example of RECEIVERS) {
  describeWhere(example.missing, `examples/receivers/${example.name}`, () => {
    const folder = temporaryFolder();
    const inbox = join(folder, 'inbox');
    let command: Command;
    let running: RunningExample;
    let url: string;

    const start = async (environment: Readonly<Record<string, string>> = {}) => {
      running = await startExample(command, { SIGNING_SECRET, INBOX: inbox, ...environment });
      url = `http://127.0.0.1:${running.port}/actions`;
    };
    const stored = () => readdirSync(inbox).sort();
    const now = () => ({ now: new Date() });

    beforeAll(async () => {
      command = await example.prepare(join(folder, 'app'));
      await start();
    });
    afterAll(() => running?.stop());

    test('answers each of the shared requests correctly, and stores the genuine ones as they were sent', async () => {
      const requests = actionRequests(new Date());
      const answers: (readonly [string, number])[] = [];
      for (const { name, request } of requests) answers.push([name, (await send(url, request)).status]);
      expect(answers).toEqual(requests.map(({ name, status }) => [name, status]));

      const good = requests.filter(({ status }) => status === 200).map(({ request }) => contentOf(request.body));
      const kept = stored().map((name) => contentOf(readFileSync(join(inbox, name))));
      expect(kept.sort()).toEqual(good.sort());
    });

    test('prints a line for each verified and refused request, without a body, a signature or a secret', async () => {
      const id = randomUUID();
      const event = eventRequest(now(), { note: 'of a visitor' }, id);
      const form = formRequest(now(), { note: 'of a visitor' }, id);
      // This header is not signed. A caller that repeats a request may write control characters for a terminal into it.
      const call = aiRequest(now(), { note: 'of a visitor' });
      const again = { ...call, headers: { ...call.headers, 'X-Service-Trigger-Ref': 'a"\u009b31mb' } };
      const forged = eventRequest({ now: new Date(), secret: 'whsec_another' }, { note: 'of a visitor' });
      const { 'X-Service-Signature': _, ...unsigned } = forged.headers;
      // The receiver prints its lines in order, so after this line no line of an earlier request is outstanding.
      const earlier = randomUUID();
      await send(url, eventRequest(now(), {}, earlier));
      await running.printed(new RegExp(`kept in event-${earlier}\\.json\\n`), 1, 0);
      const before = running.output().length;
      await send(url, event);
      await send(url, form);
      await send(url, again);
      await send(url, forged);
      await send(url, { ...forged, headers: unsigned });
      const printed = await running.printed(/(?:verified|refused): .*\n/, 5, before);
      expect(printed).toMatch(new RegExp(`verified: event ["']conversation.started["'], kept in event-${id}.json\\n`));
      expect(printed).toMatch(new RegExp(`verified: form ["']${id}["'], kept in form-${id}.json\\n`));
      expect(printed).toMatch(/refused: 401 The signature does not match/);
      expect(printed).toMatch(/refused: 400 X-Service-Signature is missing/);
      expect(printed.match(/verified: /g)).toHaveLength(3);
      expect(printed).not.toMatch(/of a visitor|v1=|whsec_/);
      expect(printed).not.toContain('\u009b');
      expect(printed).not.toContain(SIGNING_SECRET);
    });

    test('refuses an id that is no file name', async () => {
      const before = stored();
      for (const id of ['../escaped', 'a/b', '', 'x'.repeat(65), 'a\n', '.']) {
        expect([id, (await send(url, eventRequest(now(), {}, id))).status]).toEqual([id, 400]);
      }
      expect(stored()).toEqual(before);
    });

    test('stores duplicates once, also when they arrive at the same time or after a restart, and each call of the assistant', async () => {
      const id = randomUUID();
      const before = stored().length;
      const repeats: OutboundRequest[] = [];
      for (let age = 0; age < 5; age += 1) {
        const signing = { now: new Date(Date.now() - age * 1000) };
        repeats.push(eventRequest(signing, {}, id), formRequest(signing, {}, id));
      }
      const answers = await Promise.all([...repeats, aiRequest(now()), aiRequest(now())].map((one) => send(url, one)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(stored()).toHaveLength(before + 4);
      await running.stop();
      await start();
      expect(await send(url, eventRequest(now(), {}, id))).toMatchObject({ status: 200 });
      expect(stored()).toHaveLength(before + 4);
    });

    test('does not start without its secret, and speaks TLS with a certificate of its own', async () => {
      await expect(startExample(command, { SIGNING_SECRET: '', INBOX: inbox })).rejects.toThrow('SIGNING_SECRET');
      const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
      writeFileSync(files.TLS_CERT, identity.cert);
      writeFileSync(files.TLS_KEY, identity.key);
      await running.stop();
      await start(files);
      const reply = await send(url.replace('http:', 'https:'), eventRequest(now()), authority.pem);
      expect(reply).toMatchObject({ status: 200, body: expect.stringContaining('"received"') });
    });
  });
}

/** Compares JSON by value: an example may store the parsed body. */
function contentOf(body: Uint8Array | null): string {
  const text = Buffer.from(body ?? []).toString();
  return text === '' ? '' : JSON.stringify(JSON.parse(text));
}
