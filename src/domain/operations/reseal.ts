import type { Action } from '../../contract/actions.ts';
import { type KeyRing, newRingKey, type RingKey, type RingStore } from '../auth/key-ring.ts';
import { openSigningSecret, sealedWith, sealSigningSecret } from '../delivery/signing-secret.ts';
import { type ConfigurationStore, requireAll, type UnreadableAction } from '../organizations/store.ts';
import { Refusal } from '../refusal.ts';
import type { Clock, RandomBytes } from '../sources.ts';

/** Longer than every request. After it, every invocation that read an Action or the ring before has ended. */
const SETTLED_MS = 30_000;
const STEP_MS = 1000;

export type ResealPorts = {
  readonly store: Pick<ConfigurationStore, 'listOrganizations' | 'listActions' | 'replaceAction'>;
  readonly sealingRing: RingStore;
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  /** Reports progress. It may throw at any time to end the work. */
  readonly step: (text: string) => Promise<void>;
  /** Waits. Throws when the operator interrupts the run. */
  readonly pause: (milliseconds: number) => Promise<void>;
};

export type Resealed = {
  /** Id of the key that now seals. */
  readonly kid: string;
  /** Number of signing secrets that this run sealed with the new key. */
  readonly resealed: number;
  readonly dropped_keys: number;
  /** Ids of Actions whose signing secret was already lost, because its key is not in the ring. */
  readonly lost: readonly string[];
};

/**
 * Replaces the sealing key. Adds a key, waits until every function seals with it, seals every Action's signing secret with it, and then
 * removes the older keys. An interrupted run can be repeated and continues with the key that it added.
 * @throws Refusal 409 when another run changed the ring; Error for an Action that cannot be read, after all others are sealed
 */
export async function reseal(ports: ResealPorts): Promise<Resealed> {
  const ring = await withNewKey(ports);
  const [newest] = ring;
  await untilKnown(newest, ports);

  let resealed = 0;
  const lost = new Set<string>();
  for (;;) {
    const { sealed, changed, unreadable } = await pass(ring, lost, resealed, ports);
    resealed += sealed;
    if (sealed + changed === 0) {
      // The secret of an unreadable Action may need a key that would be removed now.
      requireAll({ actions: [], unreadable });
      break;
    }
    await ports.step('Waiting for requests in progress');
    await ports.pause(SETTLED_MS);
  }

  const last = await ports.sealingRing.read();
  if (last.ring[0].kid !== newest.kid) throw new Refusal('keys_replaced');
  await ports.sealingRing.replace(last, [newest]);
  return { kid: newest.kid, resealed, dropped_keys: ring.length - 1, lost: [...lost].sort() };
}

/** Adds a key, unless an interrupted run has added one. */
async function withNewKey({ sealingRing, now, randomBytes }: ResealPorts): Promise<KeyRing> {
  const found = await sealingRing.read();
  if (found.ring.length > 1) return found.ring;
  const added: KeyRing = [newRingKey(now(), randomBytes), ...found.ring];
  await sealingRing.replace(found, added);
  return added;
}

/** Waits until every container has read the ring again (five minutes) and no request uses the old one. */
async function untilKnown(newest: RingKey, { now, step, pause }: ResealPorts): Promise<void> {
  const known = (newest.active_from ?? 0) * 1000 + SETTLED_MS;
  for (let left = known - now().getTime(); left > 0; left = known - now().getTime()) {
    await step(`Waiting until every function knows the new key: ${Math.ceil(left / 1000)} s`);
    await pause(Math.min(left, STEP_MS));
  }
}

/** Seals the secrets of older keys with the newest key. `changed` counts Actions that were saved meanwhile; the next pass seals them. */
async function pass(
  ring: KeyRing,
  lost: Set<string>,
  before: number,
  ports: ResealPorts,
): Promise<{
  readonly sealed: number;
  readonly changed: number;
  readonly unreadable: readonly UnreadableAction[];
}> {
  let sealed = 0;
  let changed = 0;
  const unreadable: UnreadableAction[] = [];
  for await (const { org_id } of ports.store.listOrganizations()) {
    const list = await ports.store.listActions(org_id);
    unreadable.push(...list.unreadable);
    for (const action of list.actions) {
      await ports.step(`Sealing signing secrets: ${before + sealed}`);
      if (sealedWith(action.sealed_signing_secret) === ring[0].kid || lost.has(action.action_id)) continue;
      const next = sealedAnew(action, ring, ports);
      if (next === undefined) lost.add(action.action_id);
      else if ((await ports.store.replaceAction(action, next)) === 'replaced') sealed += 1;
      else changed += 1;
    }
  }
  return { sealed, changed, unreadable };
}

/** Returns the Action with its secret sealed by the newest key. The new version makes a concurrent save fail, which would restore the old secret. */
function sealedAnew(action: Action, ring: KeyRing, { randomBytes }: ResealPorts): Action | undefined {
  const { action_id, sealed_signing_secret: sealed, version } = action;
  if (!ring.some(({ kid }) => kid === sealedWith(sealed))) return undefined;
  const secret = openSigningSecret(sealed, action_id, ring);
  return {
    ...action,
    sealed_signing_secret: sealSigningSecret(secret, action_id, ring[0], randomBytes),
    version: version + 1,
  };
}
