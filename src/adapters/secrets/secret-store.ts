import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import type { Clock } from '../../domain/sources.ts';

/** How long a container may use a key ring before it looks for a new key: rotation waits at least this long. */
export const RING_CACHE_MS = 5 * 60_000;
/** An unknown key id makes a container look again, at most this often. */
const REFETCH_EVERY_MS = 30_000;

const key = z.object({ kid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), key: z.string().min(32) });
export type Key = z.infer<typeof key>;

/**
 * A ring of keys, the newest first: the first one signs or seals, all of them verify or open. CloudFormation can generate only
 * one key, so a secret that holds a single key is a ring of one.
 */
const ring = z.union([z.object({ keys: z.tuple([key], key) }), key.transform((only) => ({ keys: [only] as [Key] }))]);

/** One client per container. */
export function secretsManagerClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}

export type KeyRing = {
  /** The key to sign or seal with. */
  readonly current: () => Promise<Key>;
  /** The key of this id; a ring that does not know it is read again, at most every 30 seconds. */
  readonly byId: (kid: string) => Promise<Key | undefined>;
};

/** A key ring in Secrets Manager, cached in the container. */
export function keyRing(client: SecretsManagerClient, secretId: string, now: Clock): KeyRing {
  let cached: { readonly keys: readonly [Key, ...Key[]]; readonly readAt: number } | undefined;
  let reading: Promise<NonNullable<typeof cached>> | undefined;

  const read = () => {
    reading ??= readSecret(client, secretId)
      .then((text) => {
        cached = { keys: ring.parse(JSON.parse(text)).keys, readAt: now().getTime() };
        return cached;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const fresh = async (maxAgeMs: number) =>
    cached !== undefined && now().getTime() - cached.readAt < maxAgeMs ? cached : read();

  return {
    current: async () => (await fresh(RING_CACHE_MS)).keys[0],
    byId: async (kid) => {
      const find = (keys: readonly Key[]) => keys.find((candidate) => candidate.kid === kid);
      return find((await fresh(RING_CACHE_MS)).keys) ?? find((await fresh(REFETCH_EVERY_MS)).keys);
    },
  };
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
