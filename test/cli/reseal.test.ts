import { type ResealPorts, reseal } from '../../cli/commands/keys.ts';
import type { KeyRing } from '../../src/domain/auth/key-ring.ts';
import { openSigningSecret, sealedWith, sealSigningSecret } from '../../src/domain/delivery/signing-secret.ts';
import { anEventAction, ORG_ID } from '../fakes/configuration.ts';
import { InMemoryConfigurationStore } from '../fakes/configuration-store.ts';
import { refusedWith } from '../fakes/refusals.ts';
import { InMemoryRing } from '../fakes/ring.ts';
import { countingBytes, FrozenClock } from '../fakes/sources.ts';

class Interrupted extends Error {}

const OLD = { kid: 'k1', key: 'the-old-key'.repeat(6) };

async function setUp(actions = 5) {
  const clock = new FrozenClock();
  const store = new InMemoryConfigurationStore();
  const randomBytes = countingBytes();
  await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'paid', created_at: 'x' });
  for (let i = 0; i < actions; i++) {
    const action_id = `act_${i}`;
    const sealed_signing_secret = sealSigningSecret(`whsec_${i}`, action_id, OLD, randomBytes);
    await store.createAction(anEventAction({ action_id, sealed_signing_secret }));
  }
  const kept = new InMemoryRing([OLD]);
  const told: string[] = [];
  /** @param limit number of steps after which the run is interrupted */
  const ports = (limit = Number.POSITIVE_INFINITY): ResealPorts => {
    const before = told.length;
    return {
      store,
      sealingRing: kept,
      now: clock.now,
      randomBytes,
      step: async (text) => {
        if (told.push(text) - before > limit) throw new Interrupted();
        // After each step, each secret can be opened with the stored ring.
        for (const [id, action] of store.actions) {
          const [, number] = id.split('_');
          expect(openSigningSecret(action.sealed_signing_secret, id, kept.ring)).toBe(`whsec_${number}`);
        }
      },
      pause: async (milliseconds) => clock.advance(milliseconds),
    };
  };
  return { clock, store, kept, told, ports };
}

test('adds a key, waits until every function knows it, seals every secret with it and removes the old key', async () => {
  const { clock, store, kept, told, ports } = await setUp();
  const begun = clock.now().getTime();
  const done = await reseal(ports());
  expect(done).toEqual({ kid: kept.ring[0].kid, resealed: 5, dropped_keys: 1, lost: [] });
  expect(kept.ring.map(({ kid }) => kid)).toEqual([done.kid]);
  expect(done.kid).not.toBe('k1');
  expect([...store.actions.values()].map((action) => sealedWith(action.sealed_signing_secret))).toEqual(
    Array(5).fill(done.kid),
  );
  const firstSealing = told.findIndex((text) => text.startsWith('Sealing'));
  expect(told.slice(0, firstSealing).every((text) => /every function knows/.test(text))).toBe(true);
  expect(clock.now().getTime() - begun).toBeGreaterThan(330_000);
});

test('a run that was interrupted at any step continues with the key that it added', async () => {
  const { kept, ports } = await setUp(3);
  const kids = new Set<string>();
  let interruptions = 0;
  for (let steps = 0; ; steps++) {
    try {
      await reseal(ports(steps));
      break;
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      kids.add(kept.ring[0].kid);
      interruptions += 1;
    }
  }
  expect(interruptions).toBeGreaterThan(5);
  expect(kids.size).toBe(1);
  expect(kept.ring.map(({ kid }) => kid)).toEqual([...kids]);
});

test('an Action that is saved during a pass is sealed in the next pass', async () => {
  const { store, ports } = await setUp(2);
  const { replaceAction } = store;
  let saved = 0;
  const busy = {
    ...store,
    replaceAction: async (...[previous, next]: Parameters<typeof replaceAction>) => {
      if (saved++ > 0) return replaceAction(previous, next);
      await replaceAction(previous, { ...previous, name: 'Renamed', version: previous.version + 1 });
      return replaceAction(previous, next);
    },
  };
  const done = await reseal({ ...ports(), store: busy });
  expect(done.resealed).toBe(2);
  expect([...store.actions.values()].map(({ name }) => name)).toContain('Renamed');
  expect(new Set([...store.actions.values()].map((one) => sealedWith(one.sealed_signing_secret)))).toEqual(
    new Set([done.kid]),
  );
});

test('a secret that no key can open is reported, and the others are sealed', async () => {
  const { store, ports } = await setUp(1);
  const stranger = { kid: 'gone', key: 'another-key'.repeat(6) };
  const sealed_signing_secret = sealSigningSecret('whsec_x', 'act_x', stranger, countingBytes());
  await store.createAction(anEventAction({ action_id: 'act_x', sealed_signing_secret }));
  const done = await reseal({ ...ports(), step: async () => undefined });
  expect(done).toMatchObject({ resealed: 1, lost: ['act_x'] });
});

test('a ring that another run changed is not overwritten', async () => {
  const { kept, ports } = await setUp(1);
  const other: KeyRing = [{ kid: 'other', key: 'another-key'.repeat(6) }, OLD];
  const pause = async (milliseconds: number) => {
    if (milliseconds === 30_000) kept.ring = other;
    return ports().pause(milliseconds);
  };
  const refused = await refusedWith(reseal({ ...ports(), pause, step: async () => undefined }));
  expect(refused[0]).toBe(409);
  expect(kept.ring).toBe(other);
});

test('of two runs that begin at the same moment, one is refused, and every secret can be opened', async () => {
  const { store, kept, ports } = await setUp();
  const runs = await Promise.allSettled([reseal(ports()), reseal(ports())]);
  const refused = runs.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([expect.objectContaining({ reason: expect.objectContaining({ code: 'keys_replaced' }) })]);
  expect(kept.ring).toHaveLength(1);
  for (const [id, action] of store.actions) {
    expect(openSigningSecret(action.sealed_signing_secret, id, kept.ring)).toBe(`whsec_${id.split('_')[1]}`);
  }
});
