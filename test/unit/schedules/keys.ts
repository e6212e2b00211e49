import {
  InvalidParameterException,
  SecretsManagerClient,
  type ServiceInputTypes,
} from '@aws-sdk/client-secrets-manager';
import { revokeTokenKeys } from '../../../cli/commands/keys.ts';
import { type CachedRing, cachedRing, ringStore } from '../../../src/adapters/secrets/secret-store.ts';
import { TTL_MINUTES_MAX } from '../../../src/contract/limits.ts';
import type { RingStore } from '../../../src/domain/auth/key-ring.ts';
import { rotateRing } from '../../../src/domain/auth/key-ring.ts';
import { Environment, Faults } from '../../fakes/environment.ts';
import { memoryClients } from '../../fakes/memory-clients.ts';
import { countingBytes } from '../../fakes/sources.ts';
import type { World } from '../../fakes/world.ts';

/** Replaces parts of the code by faulty ones, to show that the schedules find them. */
export type KeyDefects = {
  readonly rotate?: typeof rotateRing;
  /** @default ringStore */
  readonly store?: typeof ringStore;
};

const MINUTE_MS = 60_000;
const SECRET = 'token-keys';
/** A container reads the ring again for a key that it does not know, but not within half a minute after a read. */
const UNKNOWN_MS = 60_000;

/**
 * Keys of session tokens are rotated and revoked while tokens are signed and verified. No token that has not expired is refused, unless
 * its key is revoked, and then it is refused everywhere from the time on that the revocation names.
 */
export async function keys(world: World, defects: KeyDefects = {}): Promise<void> {
  const faults = new Faults(world);
  const stored = { text: JSON.stringify({ kid: 'first', key: 'k'.repeat(64) }), version: 'first' };
  const storeOf = defects.store ?? ringStore;
  const randomBytes = countingBytes();
  const environmentOf = (position: number, name: string) => {
    const environment = new Environment(name, world, faults);
    const client = memorySecrets(position, answersOf(environment, stored));
    return { environment, client, ring: cachedRing(client, SECRET, environment.now) };
  };
  const operator = environmentOf(0, 'operator');
  const rotation = environmentOf(1, 'key-rotation');
  const containers = Array.from({ length: 1 + world.choose(3) }, (_, index) =>
    environmentOf(index + 2, `container${index + 1}`),
  );
  /** Keys that are revoked; undefined until the operator knows that they are. */
  const revoked = new Map<string, Awaited<ReturnType<typeof revokeTokenKeys>> | undefined>();
  /** When a new key began to sign at once. */
  const urgent = new Map<string, number>();

  // Much happens in few minutes, because what matters are the seconds around a change.
  const minutes = Array.from({ length: 3 }, () => world.choose(180));
  const aTime = () => anyOf(world, minutes) * MINUTE_MS + world.choose(8) * 10_000;

  const verify = async (kid: string, ring: CachedRing) => {
    const began = world.clock().toISOString();
    const accepted = (await ring.verifyingKey(kid)) !== undefined;
    if (faults.happened.has('clock jumps')) return;
    const revocation = revoked.get(kid);
    if (!revoked.has(kid)) {
      const fresh = world.time < (urgent.get(kid) ?? Number.NEGATIVE_INFINITY) + UNKNOWN_MS;
      if (!accepted && !fresh) world.violated(`a token of ${kid} is refused`);
    } else if (accepted && revocation !== undefined && began > revocation.ended_at) {
      world.violated(`a token of ${kid} is accepted after its key was revoked`);
    }
  };
  const use = async () => {
    const { kid } = await anyOf(world, containers).ring.currentKey();
    for (let uses = 1 + world.choose(2); uses > 0; uses--) {
      world.after(
        world.oneIn(2) ? world.choose(3) * 5000 : world.choose(TTL_MINUTES_MAX) * MINUTE_MS,
        `a token of ${kid} is used`,
        () => {
          verify(kid, anyOf(world, containers).ring).catch(() => undefined);
        },
      );
    }
  };
  const rotate = async () => {
    const ring = storeOf(rotation.client, SECRET);
    const seen = await ring.readRing();
    const now = rotation.environment.now();
    await ring.replace(seen, (defects.rotate ?? rotateRing)(seen.ring, now, randomBytes));
  };
  const revoke = async () => {
    const ring = storeOf(operator.client, SECRET);
    const tokenRing: RingStore = {
      readRing: ring.readRing,
      replace: async (seen, next) => {
        for (const { kid } of seen.ring) revoked.set(kid, undefined);
        urgent.set(next[0].kid, Number.POSITIVE_INFINITY);
        await ring.replace(seen, next);
        urgent.set(next[0].kid, world.time);
      },
    };
    const revocation = await revokeTokenKeys({ tokenRing, now: operator.environment.now, randomBytes });
    for (const kid of revocation.revoked) revoked.set(kid, revocation);
  };
  const plan = (label: string, make: () => Promise<void>) =>
    world.after(
      aTime(),
      () => label,
      () => {
        make().catch(() => undefined);
      },
    );
  for (let count = 2 + world.choose(5); count > 0; count--) {
    world.after(aTime(), 'a session begins', () => {
      use().catch(() => undefined);
    });
  }
  for (let count = world.choose(4); count > 0; count--) plan('the keys are rotated', rotate);
  if (world.oneIn(3)) plan('the keys are revoked', revoke);
  await world.run(() => {
    if (faults.now('clock jumps')) anyOf(world, containers).environment.jump();
  });
}

function anyOf<Value>(world: World, values: readonly Value[]): Value {
  const value = values[world.choose(values.length)];
  if (value === undefined) throw new Error('There is nothing to choose');
  return value;
}

const memorySecrets = memoryClients<ServiceInputTypes, SecretsManagerClient>(
  (settings) => new SecretsManagerClient(settings),
);

/** Returns the answers of Secrets Manager with one secret to the calls of an environment. */
function answersOf(environment: Environment, secret: { text: string; version: string }) {
  const proposed = new Map<string, string>();
  const perform = (input: object): object => {
    if ('SecretString' in input) {
      const VersionId = `version ${proposed.size + 1} of ${environment.name}`;
      proposed.set(VersionId, String(input.SecretString));
      return { VersionId };
    }
    if ('MoveToVersionId' in input && 'RemoveFromVersionId' in input) {
      if (input.RemoveFromVersionId !== secret.version)
        throw new InvalidParameterException({ $metadata: {}, message: 'The stage is attached to another version' });
      secret.version = String(input.MoveToVersionId);
      secret.text = proposed.get(secret.version) ?? '';
      return {};
    }
    return { SecretString: secret.text, VersionId: secret.version };
  };
  return (input: ServiceInputTypes): Promise<object> => {
    const label = () => `${'SecretId' in input && Object.keys(input).length === 1 ? 'read' : 'write'} the keys`;
    return environment.call(label, () => perform(input), true);
  };
}
