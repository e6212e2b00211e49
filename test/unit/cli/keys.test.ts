import { type ResealContext, reseal } from '../../../cli/commands/keys.ts';
import { activeKey, type KeyRing } from '../../../src/domain/auth/key-ring.ts';
import { openSigningSecret, sealedWith, sealSigningSecret } from '../../../src/domain/delivery/signing-secret.ts';
import { anAssistant, anEventAction, OPERATOR_AUTHOR, ORG_ID } from '../../fakes/configuration.ts';
import { memoryConfiguration } from '../../fakes/configuration-store.ts';
import { InMemoryRing } from '../../fakes/ring.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';
import { FakeOperator } from './operator.ts';

test('rotate-origin creates a secret that a header can contain, and never prints it', async () => {
  const operator = new FakeOperator();
  const { code, out, err } = await operator.run('keys', 'rotate-origin', '--yes');
  expect([code, out]).toEqual([0, 'Replaced the origin secret\n  version_id  version-1\n']);
  expect(err).toBe('Next, run: npx cdk deploy -c originSecretVersion=version-1\n');
  expect(await operator.json('keys', 'rotate-origin', '--yes')).toEqual({ version_id: 'version-2' });
  const [first, second] = operator.originSecrets;
  expect(first).toMatch(/^[\w-]{48}$/);
  expect(second).not.toBe(first);
});

test('revoke asks, leaves one new key that signs at once, and says when the old keys become invalid', async () => {
  const operator = new FakeOperator();
  operator.terminal = true;
  operator.answer = 'no';
  expect(await operator.run('keys', 'revoke')).toMatchObject({ code: 5 });
  expect(operator.questions).toEqual(['End every session token? [y/N] ']);
  expect(operator.tokenRing.ring).toHaveLength(2);
  const { out, err } = await operator.run('keys', 'revoke', '--yes', '--json');
  const { kid, revoked, ended_at } = JSON.parse(out);
  expect(operator.tokenRing.ring).toEqual([{ kid, key: expect.stringMatching(/^[\w-]{64}$/) }]);
  expect(activeKey(operator.tokenRing.ring, operator.clock.now()).kid).toBe(kid);
  expect(revoked).toEqual(['k2', 'k1']);
  expect(new Date(ended_at).getTime() - operator.clock.now().getTime()).toBe(300_000);
  for (const { key } of operator.tokenRing.ring) expect(out + err).not.toContain(key);
});

test('reseal reports its result, and ends after Ctrl-C', async () => {
  const operator = new FakeOperator();
  const interrupted = { code: 1, err: 'Interrupted: run the command again to continue\n' };
  expect(await operator.run('keys', 'reseal', '--yes')).toMatchObject(interrupted);
  expect(operator.sealingRing.ring).toHaveLength(2);
  const [added] = operator.sealingRing.ring;
  operator.clock.advance(400_000);
  operator.whileWaiting = () => true;
  const done = { kid: added.kid, resealed: 0, dropped_keys: 1, lost: [] };
  expect(await operator.json('keys', 'reseal', '--yes')).toEqual(done);
  expect(operator.sealingRing.ring).toEqual([added]);
});

describe('reseal', () => {
  class Interrupted extends Error {}
  const OLD = { kid: 'k1', key: 'the-old-key'.repeat(6) };
  const ANOTHER = { kid: 'other', key: 'another-key'.repeat(6) };
  const sealed = (action_id: string, secret: string, key = OLD) =>
    anEventAction({ action_id, sealed_signing_secret: sealSigningSecret(secret, action_id, key, countingBytes()) });

  async function setUp(actions = 5) {
    const clock = new FrozenClock();
    const store = memoryConfiguration();
    await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'paid', created_at: 'x' });
    await store.createAssistant(anAssistant(), 1, OPERATOR_AUTHOR);
    for (let i = 0; i < actions; i++) await store.createAction(sealed(`act_${i}`, `whsec_${i}`), OPERATOR_AUTHOR);
    const kept = new InMemoryRing([OLD]);
    const told: string[] = [];
    /** Expects that each secret can be opened with the stored ring. */
    const stored = async () => (await store.listActions(ORG_ID)).actions;
    const expectOpen = async () => {
      for (const { action_id: id, sealed_signing_secret } of await stored()) {
        expect(openSigningSecret(sealed_signing_secret, id, kept.ring)).toBe(id.replace('act', 'whsec'));
      }
    };
    /** @param limit number of steps after which the run is interrupted */
    const context = (limit = Number.POSITIVE_INFINITY): ResealContext => {
      const before = told.length;
      return {
        author: OPERATOR_AUTHOR,
        store,
        sealingRing: kept,
        now: clock.now,
        randomBytes: countingBytes(),
        step: async (text) => {
          if (told.push(text) - before > limit) throw new Interrupted();
          await expectOpen();
        },
        pause: async (milliseconds) => clock.advance(milliseconds),
      };
    };
    const sealedBy = async () => (await stored()).map((action) => sealedWith(action.sealed_signing_secret));
    return { clock, store, kept, told, context, expectOpen, stored, sealedBy };
  }

  test('adds a key, waits until every function knows it, seals every secret with it and removes the old key', async () => {
    const { clock, kept, told, context, sealedBy } = await setUp();
    const begun = clock.now().getTime();
    const done = await reseal(context());
    expect(done).toEqual({ kid: kept.ring[0].kid, resealed: 5, dropped_keys: 1, lost: [] });
    expect(kept.ring.map(({ kid }) => kid)).toEqual([done.kid]);
    expect(done.kid).not.toBe('k1');
    expect(await sealedBy()).toEqual(Array(5).fill(done.kid));
    const firstSealing = told.findIndex((text) => text.startsWith('Sealing'));
    expect(told.slice(0, firstSealing).every((text) => /every function knows/.test(text))).toBe(true);
    expect(clock.now().getTime() - begun).toBeGreaterThan(330_000);
  });

  test('a run that was interrupted at any step continues with the key that it added', async () => {
    const { kept, context } = await setUp(3);
    const kids = new Set<string>();
    let interruptions = 0;
    for (let isDone = false; !isDone; ) {
      try {
        await reseal(context(interruptions));
        isDone = true;
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        kids.add(kept.ring[0].kid);
        interruptions += 1;
      }
    }
    expect(interruptions).toBeGreaterThan(5);
    expect(kept.ring.map(({ kid }) => kid)).toEqual([...kids]);
  });

  test('an Action that is saved during a pass is sealed in the next pass', async () => {
    const { store, context, stored, sealedBy } = await setUp(2);
    let saved = 0;
    const replaceAction: typeof store.replaceAction = async (previous, next) => {
      const renamed = { ...previous, name: 'Renamed', version: previous.version + 1 };
      if (saved++ === 0) await store.replaceAction(previous, renamed, OPERATOR_AUTHOR);
      return store.replaceAction(previous, next, OPERATOR_AUTHOR);
    };
    const { kid, resealed } = await reseal({ ...context(), store: { ...store, replaceAction } });
    expect(resealed).toBe(2);
    expect((await stored()).map(({ name }) => name)).toContain('Renamed');
    expect(await sealedBy()).toEqual([kid, kid]);
  });

  test('a secret that no key can open is reported, and the others are sealed', async () => {
    const { store, context } = await setUp(1);
    await store.createAction(sealed('act_x', 'whsec_x', ANOTHER), OPERATOR_AUTHOR);
    const done = await reseal({ ...context(), step: async () => undefined });
    expect(done).toMatchObject({ resealed: 1, lost: ['act_x'] });
  });

  test('a ring that another run changed is not overwritten', async () => {
    const { kept, context } = await setUp(1);
    const other: KeyRing = [ANOTHER, OLD];
    const pause = async (milliseconds: number) => {
      if (milliseconds === 30_000) kept.ring = other;
      return context().pause(milliseconds);
    };
    const run = reseal({ ...context(), pause, step: async () => undefined });
    await expect(run).rejects.toMatchObject({ code: 'keys_replaced' });
    expect(kept.ring).toBe(other);
  });

  test('of two runs that begin at the same moment, one is refused, and every secret can be opened', async () => {
    const { kept, context, expectOpen } = await setUp();
    const runs = await Promise.allSettled([reseal(context()), reseal(context())]);
    const refused = runs.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'keys_replaced' } }]);
    expect(kept.ring).toHaveLength(1);
    expectOpen();
  });
});
