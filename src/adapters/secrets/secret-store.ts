import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { activeKey, type KeyRing, RING_CACHE_SECONDS, type RingKey } from '../../domain/auth/token-key-ring.ts';
import type { Clock } from '../../domain/sources.ts';
import type { AwsAccess } from '../aws-access.ts';

const RING_CACHE_MS = RING_CACHE_SECONDS * 1000;
/** An unknown key id makes a container look again, at most this often. */
const REFETCH_EVERY_MS = 30_000;

const ringKey = z.object({
  kid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  key: z.string().min(32),
  active_from: z.int().optional(),
});

/** CloudFormation can generate only one key, so a secret that holds a single key is a ring of one. */
const storedRing = z.union([
  z.object({ keys: z.tuple([ringKey], ringKey) }).transform(({ keys }): KeyRing => keys),
  ringKey.transform((only): KeyRing => [only]),
]);

/** One client per container. */
export function secretsManagerClient(access: AwsAccess = {}): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
    ...access,
  });
}

export type CachedRing = {
  /** The key to sign or seal with. */
  readonly current: () => Promise<RingKey>;
  /** The key of this id; a ring that does not know it is read again, at most every 30 seconds. */
  readonly byId: (kid: string) => Promise<RingKey | undefined>;
};

/** A key ring in Secrets Manager, cached in the container for five minutes. */
export function cachedRing(client: SecretsManagerClient, secretId: string, now: Clock): CachedRing {
  let cached: { readonly ring: KeyRing; readonly readAt: number } | undefined;
  let reading: Promise<KeyRing> | undefined;

  const read = () => {
    reading ??= readRing(client, secretId)
      .then((ring) => {
        cached = { ring, readAt: now().getTime() };
        return ring;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const fresh = async (maxAgeMs: number) =>
    cached !== undefined && now().getTime() - cached.readAt < maxAgeMs ? cached.ring : read();

  return {
    current: async () => activeKey(await fresh(RING_CACHE_MS), now()),
    byId: async (kid) => {
      const find = (ring: KeyRing) => ring.find((candidate) => candidate.kid === kid);
      return find(await fresh(RING_CACHE_MS)) ?? find(await fresh(REFETCH_EVERY_MS));
    },
  };
}

/** The ring as it is stored now. @throws when the secret holds no ring */
export async function readRing(client: SecretsManagerClient, secretId: string): Promise<KeyRing> {
  const text = await readSecret(client, secretId);
  // Neither the parser's nor the schema's own error: both could quote the secret.
  const parsed = storedRing.safeParse(jsonOrUndefined(text));
  if (!parsed.success) throw new Error('The secret holds no key ring');
  return parsed.data;
}

/** Replaces the ring. */
export async function writeRing(client: SecretsManagerClient, secretId: string, ring: KeyRing): Promise<void> {
  await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: JSON.stringify({ keys: ring }) }));
}

/** A plain secret, cached like a ring. */
export function plainSecret(client: SecretsManagerClient, secretId: string, now: Clock): () => Promise<string> {
  let cached: { readonly value: Promise<string>; readonly readAt: number } | undefined;
  return () => {
    if (cached === undefined || now().getTime() - cached.readAt >= RING_CACHE_MS) {
      cached = { value: readSecret(client, secretId), readAt: now().getTime() };
      cached.value.catch(() => {
        cached = undefined;
      });
    }
    return cached.value;
  };
}

async function readSecret(client: SecretsManagerClient, secretId: string): Promise<string> {
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
  if (SecretString === undefined) throw new Error(`Secret ${secretId} holds no text`);
  return SecretString;
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
