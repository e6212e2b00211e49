import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type CachedRing, cachedRing, readRing, writeRing } from '../../src/adapters/secrets/secret-store.ts';
import { TTL_MINUTES_MAX } from '../../src/contract/limits.ts';
import type { KeyRing } from '../../src/domain/auth/key-ring.ts';
import { rotateRing } from '../../src/domain/auth/token-keys.ts';
import { type RevokedTokenKeys, revokeTokenKeys } from '../../src/domain/operations/revoke-token-keys.ts';
import { Environment, Faults } from '../fakes/environment.ts';
import { countingBytes } from '../fakes/sources.ts';
import type { World } from '../fakes/world.ts';

/** Replaces parts of the code by faulty ones, to show that the schedules find them. */
export type KeyDefects = { readonly rotate?: typeof rotateRing };

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
  const store = { text: JSON.stringify({ kid: 'first', key: 'k'.repeat(64) }) };
  const randomBytes = countingBytes();
  const environmentOf = (position: number, name: string) => {
    const environment = new Environment(name, world, faults);
    clients[position] ??= memorySecrets();
    const { client, connect } = clients[position];
    connect(environment, store);
    return { environment, client, ring: cachedRing(client, SECRET, environment.now) };
  };
  const operator = environmentOf(0, 'operator');
  const containers = Array.from({ length: 1 + world.choose(3) }, (_, index) =>
    environmentOf(index + 1, `container${index + 1}`),
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
    const ring = await readRing(operator.client, SECRET);
    const now = operator.environment.now();
    await writeRing(operator.client, SECRET, (defects.rotate ?? rotateRing)(ring, now, randomBytes));
  };
  const revoke = async () => {
    const tokenRing = {
      read: () => readRing(operator.client, SECRET),
      write: async (ring: KeyRing) => {
        for (const { kid } of await readRing(operator.client, SECRET)) revoked.set(kid, undefined);
        urgent.set(ring[0].kid, Number.POSITIVE_INFINITY);
        await writeRing(operator.client, SECRET, ring);
        urgent.set(ring[0].kid, world.time);
      },
    };
    const revocation = await revokeTokenKeys({ tokenRing, now: operator.environment.now, randomBytes });
    for (const kid of revocation.revoked) revoked.set(kid, revocation);
  };
  /** An operator waits for the end of one change before the next. */
  let changed: Promise<void> = Promise.resolve();
  const plan = (label: string, make: () => Promise<void>) =>
    world.after(
      aTime(),
      () => label,
      () => {
        changed = changed.then(make).catch(() => undefined);
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

/** Returns AWS's client with one secret in memory behind it. */
function memorySecrets() {
  let make: Environment['call'] | undefined;
  let secret = { text: '' };
  const client = new SecretsManagerClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    cacheMiddleware: true,
  });
  client.middlewareStack.add(
    () =>
      async ({ input }) => {
        const written = 'SecretString' in input ? input.SecretString : undefined;
        const effect = () => {
          if (written !== undefined) secret.text = written;
          return { $metadata: {}, SecretString: secret.text };
        };
        const label = () => `${written === undefined ? 'read' : 'write'} the keys`;
        return { response: {}, output: (await make?.(label, effect, true)) ?? { $metadata: {} } };
      },
    { step: 'initialize', priority: 'high', name: 'memorySecret' },
  );
  return {
    client,
    connect: (environment: Environment, stored: { text: string }) => {
      make = environment.call;
      secret = stored;
    },
  };
}
