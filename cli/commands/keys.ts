import type { Action } from '../../src/contract/actions.ts';
import { type KeyRing, newRingKey, RING_CACHE_SECONDS, type RingKey } from '../../src/domain/auth/key-ring.ts';
import type { ConfigurationStore } from '../../src/domain/context.ts';
import { openSigningSecret, sealedWith, sealSigningSecret } from '../../src/domain/delivery/signing-secret.ts';
import { requireReadable } from '../../src/domain/organizations/suspension-and-quota.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import type { Deployment } from '../deployment.ts';

export function addTo(keys: CliCommand): void {
  keys
    .command('reseal')
    .description('replace the sealing key, and seal every signing secret with the new one; takes at least six minutes')
    .notes(`The command adds a key, waits until every function has loaded it, and seals the signing secret of every Action with it. Then it removes
the old key. The service refuses no request during this time. An admin who saves an Action at the same moment must reload it.
After an interruption, run the command again to continue.`)
    .examples('va-wave keys reseal')
    .withDeployment(async ({ output, context, confirm }) => {
      await confirm('Replace the sealing key?');
      output.object(await reseal(context), 'Replaced the sealing key');
    });

  keys
    .command('rotate-origin')
    .description('give the origin secret a new value; the previous one counts until the next rotation')
    .notes(`Finish the rotation: deploy with the version id that this command prints, so that the distribution sends the new value. Until then,
the command refuses the next rotation, because the service accepts only the current and the previous value.`)
    .examples('va-wave keys rotate-origin', 'npx cdk deploy -c originSecretVersion=…')
    .withDeployment(async ({ output, context, confirm }) => {
      await confirm('Replace the origin secret?');
      // 36 bytes are 48 characters, as many as the first value has.
      const value = Buffer.from(context.randomBytes(36)).toString('base64url');
      const version_id = await context.replaceOriginSecret(value);
      output.object({ version_id }, 'Replaced the origin secret');
      output.note(`Next, run: npx cdk deploy -c originSecretVersion=${version_id}`);
    });

  keys
    .command('revoke')
    .description('replace all keys of session tokens after a leak: all tokens become invalid')
    .notes(`All existing session tokens become invalid within five minutes, and widgets ask their page for a new one. During this time, containers
that still sign with an old key can mint tokens that become invalid as well. Afterwards nothing else is necessary: the keys continue
to rotate automatically.`)
    .examples('va-wave keys revoke')
    .withDeployment(async ({ output, context, confirm }) => {
      await confirm('End every session token?');
      output.object(await revokeTokenKeys(context), 'Revoked the token keys');
    });
}

/**
 * Replaces all keys of session tokens by a new one, after the keys may have leaked. All existing tokens become invalid as soon as each
 * container has read the ring again. The new key has no `active_from`, so it signs immediately: a container that does not know its id reads the ring again.
 * @returns the id of the new key, those of the revoked ones, and when the last container stops accepting them (ISO 8601, UTC)
 * @throws Refusal 409 when the keys are replaced at the same moment: then nothing is revoked
 */
export async function revokeTokenKeys(context: Pick<Deployment, 'tokenRing' | 'now' | 'randomBytes'>) {
  const former = await context.tokenRing.readRing();
  const { kid, key } = newRingKey(context.now(), context.randomBytes);
  await context.tokenRing.replace(former, [{ kid, key }]);
  return {
    kid,
    revoked: former.ring.map((old) => old.kid),
    ended_at: new Date(context.now().getTime() + RING_CACHE_SECONDS * 1000).toISOString(),
  };
}

/** Longer than every request. After it, every invocation that read an Action or the ring before has ended. */
const SETTLED_MS = 30_000;
const STEP_MS = 1000;

export type ResealContext = Pick<
  ConnectedRun['context'],
  'author' | 'sealingRing' | 'now' | 'randomBytes' | 'step' | 'pause'
> & {
  readonly store: Pick<ConfigurationStore, 'listOrganizations' | 'listActions' | 'replaceAction'>;
};

/**
 * Replaces the sealing key. Adds a key, waits until every function seals with it, seals every Action's signing secret with it, and then
 * removes the older keys. An interrupted run can be repeated and continues with the key that it added.
 * @returns the id of the new key, how many secrets this run sealed with it, how many keys it removed, and the ids of Actions whose secret
 * was already lost, because its key is not in the ring
 * @throws Refusal 409 when another run changed the ring; ServiceError for what cannot be read, after all others are sealed
 */
export async function reseal(context: ResealContext) {
  const ring = await withNewKey(context);
  const [newest] = ring;
  await untilKnown(newest, context);

  const progress: Progress = { resealedCount: 0, lostActionIds: new Set() };
  while (!(await sealAll(ring, progress, context))) {
    await context.step('Waiting for requests in progress');
    await context.pause(SETTLED_MS);
  }

  const last = await context.sealingRing.readRing();
  if (last.ring[0].kid !== newest.kid) throw new Refusal('keys_replaced');
  await context.sealingRing.replace(last, [newest]);
  return {
    kid: newest.kid,
    resealed: progress.resealedCount,
    dropped_keys: ring.length - 1,
    lost: [...progress.lostActionIds].sort(),
  };
}

/** Adds a key, unless the ring has several: then an interrupted run has added one. */
async function withNewKey({ sealingRing, now, randomBytes }: ResealContext): Promise<KeyRing> {
  const storedRing = await sealingRing.readRing();
  if (storedRing.ring.length > 1) return storedRing.ring;
  const ringWithNewKey: KeyRing = [newRingKey(now(), randomBytes), ...storedRing.ring];
  await sealingRing.replace(storedRing, ringWithNewKey);
  return ringWithNewKey;
}

/** Waits until every container has read the ring again, which is at `active_from` of the new key, and no request uses the old ring. */
async function untilKnown(newest: RingKey, { now, step, pause }: ResealContext): Promise<void> {
  const knownAt = (newest.active_from ?? 0) * 1000 + SETTLED_MS;
  for (let left = knownAt - now().getTime(); left > 0; left = knownAt - now().getTime()) {
    await step(`Waiting until every function knows the new key: ${Math.ceil(left / 1000)} s`);
    await pause(Math.min(left, STEP_MS));
  }
}

type Progress = { resealedCount: number; readonly lostActionIds: Set<string> };

/**
 * Seals every secret of an older key with the newest key, in one pass over all Actions.
 * @returns whether the pass found no such secret. Otherwise another pass follows, because an Action may have been saved meanwhile
 * @throws ServiceError when the pass found none, and an Action or an organization cannot be read: a secret may need a key that would be removed now
 */
async function sealAll(ring: KeyRing, progress: Progress, context: ResealContext): Promise<boolean> {
  let isDone = true;
  const unreadable: { readonly cause: Error }[] = [];
  for await (const page of context.store.listOrganizations()) {
    unreadable.push(...page.unreadable);
    for (const { org_id } of page.organizations) {
      const list = await context.store.listActions(org_id);
      unreadable.push(...list.unreadable);
      for (const action of list.actions) {
        await context.step(`Sealing signing secrets: ${progress.resealedCount}`);
        if (sealedWith(action.sealed_signing_secret) === ring[0].kid) continue;
        const next = sealedAnew(action, ring, context);
        if (next === undefined) {
          progress.lostActionIds.add(action.action_id);
          continue;
        }
        isDone = false;
        if ((await context.store.replaceAction(action, next, context.author)) === 'replaced')
          progress.resealedCount += 1;
      }
    }
  }
  if (isDone) requireReadable(unreadable);
  return isDone;
}

/** Returns the Action with its secret sealed by the newest key, or undefined when the secret's key is lost. The new version makes a concurrent save fail, which would restore the old secret. */
function sealedAnew(action: Action, ring: KeyRing, { randomBytes }: ResealContext): Action | undefined {
  const { action_id, sealed_signing_secret: sealedSecret, version } = action;
  if (!ring.some(({ kid }) => kid === sealedWith(sealedSecret))) return undefined;
  const secret = openSigningSecret(sealedSecret, action_id, ring);
  return {
    ...action,
    sealed_signing_secret: sealSigningSecret(secret, action_id, ring[0], randomBytes),
    version: version + 1,
  };
}
