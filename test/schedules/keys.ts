import { InvalidParameterException, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type CachedRing, cachedRing, ringStore } from '../../src/adapters/secrets/secret-store.ts';
import { TTL_MINUTES_MAX } from '../../src/contract/limits.ts';
import type { RingStore } from '../../src/domain/auth/key-ring.ts';
import { rotateRing } from '../../src/domain/auth/token-keys.ts';
import { type RevokedTokenKeys, revokeTokenKeys } from '../../src/domain/operations/revoke-token-keys.ts';
import { Environment, Faults } from '../fakes/environment.ts';
import { countingBytes } from '../fakes/sources.ts';
import type { World } from '../fakes/world.ts';

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

/** Clients are slow to create, so that the environments of all schedules use the same ones. */
const clients: ReturnType<typeof memorySecrets>[] = [];

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
    clients[position] ??= memorySecrets();
    const { client, connect } = clients[position];
    connect(environment, stored);
    return { environment, client, ring: cachedRing(client, SECRET, environment.now) };
  };
  const operator = environmentOf(0, 'operator');
  const rotation = environmentOf(1, 'key-rotation');
  const containers = Array.from({ length: 1 + world.choose(3) }, (_, index) =>
    environmentOf(index + 2, `container${index + 1}`),
  );
  /** Keys that are revoked; undefined until the operator knows that they are. */
  const revoked = new Map<string, RevokedTokenKeys | undefined>();
  /** When a new key began to sign at once. */
  const urgent = new Map<string, number>();

  // Much happens in few minutes, because what matters are the seconds around a change.
  const minutes = Array.from({ length: 3 }, () => world.choose(180));
  const aTime = () => anyOf(world, minutes) * MINUTE_MS + world.choose(8) * 10_000;

  const verify = async (kid: string, ring: CachedRing) => {
    const began = world.clock().toISOString();
    const accepted = (await ring.verifying(kid)) !== undefined;
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
    const { kid } = await anyOf(world, containers).ring.current();
    for (let uses = 1 + world.choose(2); uses > 0; uses--) {
      world.after(
        world.oneIn(2) ? world.choose(3) * 5000 : world.choose(TTL_MINUTES_MAX) * MINUTE_MS,
        () => `a token of ${kid} is used`,
        () => {
          verify(kid, anyOf(world, containers).ring).catch(() => undefined);
        },
      );
    }
  };
  const rotate = async () => {
    const ring = storeOf(rotation.client, SECRET);
    const seen = await ring.read();
    const now = rotation.environment.now();
    await ring.replace(seen, (defects.rotate ?? rotateRing)(seen.ring, now, randomBytes));
  };
  const revoke = async () => {
    const ring = storeOf(operator.client, SECRET);
    const tokenRing: RingStore = {
      read: ring.read,
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
    world.after(
      aTime(),
      () => 'a session begins',
      () => {
        use().catch(() => undefined);
      },
    );
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

type Stored = { text: string; version: string };

/** Returns AWS's client with one secret in memory behind it. */
function memorySecrets() {
  let make: Environment['call'] | undefined;
  let secret: Stored = { text: '', version: '' };
  const proposed = new Map<string, string>();
  const client = new SecretsManagerClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    cacheMiddleware: true,
  });
  const perform = (input: object): object => {
    if ('SecretString' in input) {
      const VersionId = `version ${proposed.size + 1} of ${connected}`;
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
  let connected = '';
  client.middlewareStack.add(
    () =>
      async ({ input }) => {
        const label = () => `${'SecretId' in input && Object.keys(input).length === 1 ? 'read' : 'write'} the keys`;
        const effect = () => ({ $metadata: {}, ...perform(input) });
        return { response: {}, output: (await make?.(label, effect, true)) ?? { $metadata: {} } };
      },
    { step: 'initialize', priority: 'high', name: 'memorySecret' },
  );
  return {
    client,
    connect: (environment: Environment, stored: Stored) => {
      make = environment.call;
      secret = stored;
      connected = environment.name;
      proposed.clear();
    },
  };
}
