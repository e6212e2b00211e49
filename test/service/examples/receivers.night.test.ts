import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trigger } from '../../../packages/receiver/src/index.ts';
import type { OutboundRequest } from '../../../src/domain/context.ts';
import { describeWhere, type Missing, missingProgram } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import {
  actionRequests,
  aiRequest,
  eventRequest,
  formRequest,
  SIGNING_SECRET,
} from '../../unit/examples/action-requests.ts';
import { type Command, GO_BUILD, type RunningExample, startExample } from './child.ts';
import { copiedExample, started } from './copied-example.ts';
import { send } from './send.ts';

/** Prepares a copy of the example in a folder outside the repository. */
type Prepare = (folder: string) => Promise<Command>;

const RECEIVERS: readonly { readonly name: string; readonly missing: Missing; readonly prepare: Prepare }[] = [
  {
    name: 'node-express',
    missing: undefined,
    prepare: async (folder) => started(await copiedExample('receivers/node-express', folder)),
  },
  {
    name: 'python-flask',
    missing: missingProgram('Flask'),
    prepare: async (folder) => {
      const cwd = await copiedExample('receivers/python-flask', folder);
      return { command: 'python3', args: ['-B', 'receiver.py'], cwd };
    },
  },
  {
    name: 'go',
    missing: missingProgram('Go'),
    prepare: async (folder) => {
      const cwd = await copiedExample('receivers/go', folder);
      execFileSync('go', GO_BUILD, { cwd, stdio: 'inherit' });
      return { command: join(cwd, 'receiver'), args: [], cwd };
    },
  },
];

for (const example of RECEIVERS) {
  describeWhere(example.missing, `examples/receivers/${example.name}`, () => {
    const folder = temporaryFolder();
    const inbox = join(folder, 'inbox');
    let command: Command;
    /** A receiver for each kind of Action. */
    const running: Partial<Record<Trigger, RunningExample>> = {};

    const start = async (trigger: Trigger) => {
      running[trigger] = await startExample(command, {
        SIGNING_SECRET: `'${SIGNING_SECRET}'\n`,
        INBOX: inbox,
        TRIGGER: trigger,
      });
    };
    const urlOf = (trigger: Trigger) => `http://127.0.0.1:${running[trigger]?.port}/actions`;
    const stored = () => readdirSync(inbox).sort();
    const now = () => ({ now: new Date() });

    beforeAll(async () => {
      command = await example.prepare(join(folder, 'app'));
      await Promise.all((['event', 'form', 'ai'] as const).map((trigger) => start(trigger)));
    }, 300_000);
    afterAll(() => Promise.all(Object.values(running).map((example) => example.stop())));

    test('answers each of the shared requests correctly, and stores the bytes of the genuine ones once', async () => {
      const requests = actionRequests(new Date());
      const sendAll = async () => {
        const answers: (readonly [string, number])[] = [];
        for (const { name, trigger, request } of requests) {
          answers.push([name, (await send(urlOf(trigger), request)).status]);
        }
        return answers;
      };
      const expected = requests.map(({ name, status }) => [name, status]);
      expect(await sendAll()).toEqual(expected);

      const good = requests.filter(({ status }) => status === 200).map(({ request }) => textOf(request.body));
      const kept = () => stored().map((name) => textOf(readFileSync(join(inbox, name))));
      expect(kept().sort()).toEqual([...good].sort());
      // A second time, only what has no id of its own is stored: calls of the assistant, and requests without a body.
      expect(await sendAll()).toEqual(expected);
      const withoutId = requests.filter(
        ({ status, trigger, request }) => status === 200 && (trigger === 'ai' || request.body === null),
      );
      expect(stored()).toHaveLength(good.length + withoutId.length);
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
      const printedBy = async (trigger: Trigger, ...requests: readonly OutboundRequest[]) => {
        const receiver = running[trigger];
        // The receiver prints its lines in order, so after one more line no line of an earlier request is outstanding.
        const line = new RegExp(`kept in ${trigger}-.*\\n`);
        const lines = receiver?.output().split(line).length ?? 0;
        const earlier = { event: eventRequest(now()), form: formRequest(now()), ai: aiRequest(now()) };
        await send(urlOf(trigger), earlier[trigger]);
        await receiver?.printed(line, lines, 0);
        const before = receiver?.output().length ?? 0;
        for (const request of requests) await send(urlOf(trigger), request);
        return (await receiver?.printed(/(?:verified|refused): .*\n/, requests.length, before)) ?? '';
      };
      const ofEvents = await printedBy('event', event, forged, { ...forged, headers: unsigned });
      const ofForms = await printedBy('form', form);
      const ofCalls = await printedBy('ai', again);
      expect(ofEvents).toMatch(new RegExp(`verified: event ["']conversation.started["'], kept in event-${id}.json\\n`));
      expect(ofForms).toMatch(new RegExp(`verified: form ["']${id}["'], kept in form-${id}.json\\n`));
      expect(ofCalls).toMatch(/verified: ai /);
      expect(ofEvents).toMatch(/refused: 401 The signature does not match/);
      expect(ofEvents).toMatch(/refused: 400 X-Service-Signature is missing/);
      const printed = ofEvents + ofForms + ofCalls;
      expect(printed.match(/verified: /g)).toHaveLength(3);
      expect(printed).not.toMatch(/of a visitor|v1=|whsec_/);
      expect(printed).not.toContain('\u009b');
      expect(printed).not.toContain(SIGNING_SECRET);
    });

    test('refuses an id that is no file name', async () => {
      const before = stored();
      for (const id of ['../escaped', 'a/b', '', 'x'.repeat(65), 'a\n', '.']) {
        expect([id, (await send(urlOf('event'), eventRequest(now(), {}, id))).status]).toEqual([id, 400]);
      }
      expect(stored()).toEqual(before);
    });

    test('stores duplicates once, also when they arrive at the same time or after a restart, and each call of the assistant', async () => {
      const id = randomUUID();
      const before = stored().length;
      const requests: (readonly [Trigger, OutboundRequest])[] = [];
      for (let age = 0; age < 5; age += 1) {
        const signing = { now: new Date(Date.now() - age * 1000) };
        requests.push(['event', eventRequest(signing, {}, id)], ['form', formRequest(signing, {}, id)]);
      }
      requests.push(['ai', aiRequest(now())], ['ai', aiRequest(now())]);
      const answers = await Promise.all(requests.map(([trigger, request]) => send(urlOf(trigger), request)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(stored()).toHaveLength(before + 4);
      await running.event?.stop();
      await start('event');
      expect(await send(urlOf('event'), eventRequest(now(), {}, id))).toMatchObject({ status: 200 });
      expect(stored()).toHaveLength(before + 4);
    });

    test('does not start without its secret', async () => {
      await expect(startExample(command, { SIGNING_SECRET: '', INBOX: inbox })).rejects.toThrow('SIGNING_SECRET');
    });
  });
}

const textOf = (body: Uint8Array | null) => Buffer.from(body ?? []).toString();
