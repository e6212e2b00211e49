import { createHash } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { parseJson } from '../../contract/json.ts';
import { sameDigest } from '../../domain/auth/same-digest.ts';
import {
  activeKey,
  type KeyRing,
  RING_CACHE_SECONDS,
  type RingKey,
  verifyingKey,
} from '../../domain/auth/token-key-ring.ts';
import type { Clock } from '../../domain/sources.ts';

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

export type CachedRing = {
  /** The key to sign or seal with. */
  readonly current: () => Promise<RingKey>;
  /** The key of this id; a ring that does not know it is read again, at most every 30 seconds. */
  readonly byId: (kid: string) => Promise<RingKey | undefined>;
  /** As byId, without keys whose last token is gone. */
  readonly verifying: (kid: string) => Promise<RingKey | undefined>;
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

  const found = async (find: (ring: KeyRing) => RingKey | undefined) =>
    find(await fresh(RING_CACHE_MS)) ?? find(await fresh(REFETCH_EVERY_MS));

  return {
    current: async () => activeKey(await fresh(RING_CACHE_MS), now()),
    byId: (kid) => found((ring) => ring.find((candidate) => candidate.kid === kid)),
    verifying: (kid) => found((ring) => verifyingKey(ring, kid, now())),
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
  await putSecret(client, secretId, JSON.stringify({ keys: ring }));
}

/**
 * Whether a text is the current or the previous value of a plain secret: while it rotates, both are in use. Cached like a ring; a
 * text that is neither has it read again, at most every 30 seconds. Tells nothing by how long it takes.
 */
export function acceptedValues(
  client: SecretsManagerClient,
  secretId: string,
  now: Clock,
): (text: string) => Promise<boolean> {
  let cached: { readonly digests: Promise<readonly Buffer[]>; readonly readAt: number } | undefined;
  const fresh = (maxAgeMs: number) => {
    if (cached !== undefined && now().getTime() - cached.readAt < maxAgeMs) return cached.digests;
    const digests = readAccepted(client, secretId).then((values) => values.map(sha256));
    digests.catch(() => {
      cached = undefined;
    });
    cached = { digests, readAt: now().getTime() };
    return digests;
  };
  return async (text) => {
    const presented = sha256(text);
    const among = (digests: readonly Buffer[]) =>
      digests.map((digest) => sameDigest(digest, presented)).some((equal) => equal);
    return among(await fresh(RING_CACHE_MS)) || among(await fresh(REFETCH_EVERY_MS));
  };
}

/** Replaces a plain secret; its former value becomes the previous one. @returns id of the new version */
export async function replaceSecret(client: SecretsManagerClient, secretId: string, value: string): Promise<string> {
  const { VersionId = '' } = await putSecret(client, secretId, value);
  return VersionId;
}

/** The client gives it a token, by which a version is made once, also when it is sent again. */
const putSecret = (client: SecretsManagerClient, SecretId: string, SecretString: string) =>
  client.send(new PutSecretValueCommand({ SecretId, SecretString }));

async function readAccepted(client: SecretsManagerClient, secretId: string): Promise<readonly string[]> {
  const previous = readSecret(client, secretId, 'AWSPREVIOUS').catch((error: unknown) => {
    // It was never replaced.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
  const [current, former] = await Promise.all([readSecret(client, secretId), previous]);
  return former === undefined ? [current] : [current, former];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

async function readSecret(client: SecretsManagerClient, secretId: string, VersionStage?: string): Promise<string> {
  const { SecretString } = await client.send(
    new GetSecretValueCommand({ SecretId: secretId, ...(VersionStage === undefined ? {} : { VersionStage }) }),
  );
  if (SecretString === undefined) throw new Error(`Secret ${secretId} holds no text`);
  return SecretString;
}

function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
