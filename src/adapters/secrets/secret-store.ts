import { createHash } from 'node:crypto';
import {
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import type { Action } from '../../contract/actions.ts';
import {
  activeKey,
  type KeyRing,
  RING_CACHE_SECONDS,
  type RingKey,
  type RingStore,
  verifyingKey,
} from '../../domain/auth/key-ring.ts';
import { sameDigest } from '../../domain/auth/server-secret.ts';
import { openSigningSecret, sealedWith, sealSigningSecret } from '../../domain/delivery/signing-secret.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { Refusal } from '../../domain/refusal.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { Clock, RandomBytes } from '../../domain/sources.ts';

const RING_CACHE_MS = RING_CACHE_SECONDS * 1000;
/** Minimum time between two reads of the ring that unknown key ids cause in a container. */
const REFETCH_EVERY_MS = 30_000;

const ringKey = z.object({
  kid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  key: z.string().min(32),
  active_from: z.int().optional(),
});

/** A ring, or a single key, because CloudFormation can generate only one. */
const storedRing = z.union([
  z.object({ keys: z.tuple([ringKey], ringKey) }).transform(({ keys }): KeyRing => keys),
  ringKey.transform((only): KeyRing => [only]),
]);

/** The keys of a ring, as they were in Secrets Manager at most five minutes ago. */
export type CachedRing = {
  readonly currentKey: () => Promise<RingKey>;
  /** Returns the key with this id. When the cached ring does not have it, the ring is read again, at most every 30 seconds. */
  readonly byId: (kid: string) => Promise<RingKey | undefined>;
  /** Like byId, but without keys whose last token has expired. */
  readonly verifyingKey: (kid: string) => Promise<RingKey | undefined>;
};

/** Keeps a read of Secrets Manager for five minutes, for all callers. One that fails does not replace another. */
function cachedRead<Value>(readValue: () => Promise<Value>, now: Clock) {
  type Read = { readonly value: Promise<Value>; readonly readAt: number };
  /** The latest read, also when it has failed: it bounds how often unknown ids cause another one. */
  let latest: Read | undefined;
  let usable: Read | undefined;
  const youngOrNew = (earlierRead: Read | undefined, maxAgeMs: number) => {
    const readAt = now().getTime();
    const age = readAt - (earlierRead?.readAt ?? 0);
    // A negative age is that of a clock that was ahead.
    if (earlierRead !== undefined && age >= 0 && age < maxAgeMs) return earlierRead.value;
    const value = readValue();
    const before = usable;
    latest = usable = { value, readAt };
    value.catch(() => {
      if (usable?.value === value) usable = before;
    });
    return value;
  };
  return {
    value: () => youngOrNew(usable, RING_CACHE_MS),
    /** Returns what is found in the value. When nothing is found, the value is read again, at most every 30 seconds, also when that fails. */
    findInValue: async <Found>(find: (value: Value) => Found | undefined): Promise<Found | undefined> =>
      find(await youngOrNew(usable, RING_CACHE_MS)) ?? find(await youngOrNew(latest, REFETCH_EVERY_MS)),
  };
}

export function cachedRing(client: SecretsManagerClient, secretId: string, now: Clock): CachedRing {
  const { readRing } = ringStore(client, secretId);
  const cachedSecret = cachedRead(readRing, now);
  return {
    currentKey: async () => activeKey((await cachedSecret.value()).ring, now()),
    byId: (kid) => cachedSecret.findInValue(({ ring }) => ring.find((candidate) => candidate.kid === kid)),
    verifyingKey: (kid) => cachedSecret.findInValue(({ ring }) => verifyingKey(ring, kid, now())),
  };
}

/** The stage of a version that may become the current one. No reader uses it. */
const PROPOSED = 'AWSPENDING';

/** A key ring in Secrets Manager. `readRing` throws an Error when the secret does not contain a ring. */
export function ringStore(client: SecretsManagerClient, SecretId: string): RingStore {
  const readRing: RingStore['readRing'] = async () => {
    const { SecretString = '', VersionId: version = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
    // The errors of the parser and the schema are not used, because both could quote the secret.
    const parsedRing = storedRing.safeParse(parseJson(SecretString));
    if (!parsedRing.success) throw new ServiceError('The secret does not contain a key ring');
    return { ring: parsedRing.data, version };
  };
  return {
    readRing,
    replace: async ({ version }, ring) => {
      await replaceVersion(client, SecretId, version, JSON.stringify({ keys: ring }));
    },
  };
}

/** Makes a new version current in place of `version`. @returns its id @throws Refusal when another one is current */
async function replaceVersion(client: SecretsManagerClient, SecretId: string, version: string, SecretString: string) {
  // The client adds a token, so that a retry creates no second version.
  const { VersionId = '' } = await client.send(
    new PutSecretValueCommand({ SecretId, SecretString, VersionStages: [PROPOSED] }),
  );
  // Only the move of a stage can have a condition: it fails unless the stage is where `RemoveFromVersionId` says.
  const move = { MoveToVersionId: VersionId, RemoveFromVersionId: version };
  try {
    await client.send(new UpdateSecretVersionStageCommand({ SecretId, VersionStage: 'AWSCURRENT', ...move }));
  } catch (error) {
    // The version may be gone: it loses its stage to the proposal of another caller, and Secrets Manager may delete one without a stage.
    if (!(error instanceof InvalidParameterException || error instanceof ResourceNotFoundException)) throw error;
    // The client repeats a call whose response was lost, and the repetition fails although the stage has moved.
    const current = await client.send(new GetSecretValueCommand({ SecretId }));
    if (current.VersionId !== VersionId) throw new Refusal('keys_replaced');
  }
  return VersionId;
}

/**
 * Returns a function that says whether a text is the current or the previous value of a plain secret; both are in use during a rotation. The values
 * are cached like a ring. A text that is neither causes another read, at most every 30 seconds. The comparison takes constant time.
 */
export function acceptedValues(client: SecretsManagerClient, secretId: string, now: Clock) {
  const cachedDigests = cachedRead(async () => {
    const values = await Promise.all([readSecret(client, secretId), readPrevious(client, secretId)]);
    return values.flatMap((value) => (value === undefined ? [] : [sha256(value)]));
  }, now);
  return async (text: string): Promise<boolean> => {
    const presented = sha256(text);
    // All are compared, so that the time does not tell which one is equal.
    const equalOne = (digests: readonly Buffer[]) => digests.filter((digest) => sameDigest(digest, presented))[0];
    return (await cachedDigests.findInValue(equalOne)) !== undefined;
  };
}

/**
 * Replaces a plain secret. Its current value becomes the previous one, so that one more replacement would end it.
 * @param sentVersion the version that the distribution is told to send (the option originSecretVersion); undefined = the first
 * @returns the id of the new version
 * @throws Refusal when the distribution does not send the current value yet
 */
export async function replaceSecret(
  client: SecretsManagerClient,
  SecretId: string,
  value: string,
  sentVersion: string | undefined,
): Promise<string> {
  const { VersionId: current = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
  const first = sentVersion === undefined && (await readPrevious(client, SecretId)) === undefined;
  const problem = `the distribution does not send the current value yet; run first: npx cdk deploy -c originSecretVersion=${current}`;
  if (!first && sentVersion !== current) throw new Refusal('keys_replaced', { problem });
  return replaceVersion(client, SecretId, current, value);
}

async function readPrevious(client: SecretsManagerClient, secretId: string): Promise<string | undefined> {
  try {
    return await readSecret(client, secretId, 'AWSPREVIOUS');
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The text of a secret as it is now. @param VersionStage `AWSPREVIOUS` is the value before @default AWSCURRENT @throws when it holds none */
export async function readSecret(client: SecretsManagerClient, SecretId: string, VersionStage?: string) {
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId, VersionStage }));
  if (SecretString === undefined) throw new ServiceError(`Secret ${SecretId} does not contain text`);
  return SecretString;
}

/** Opens and seals the signing secrets of Actions with the keys of the sealing ring. */
export function signingSecrets(ring: CachedRing, randomBytes: RandomBytes) {
  return {
    openSigningSecret: async (action: Action): Promise<string> => {
      const key = await ring.byId(sealedWith(action.sealed_signing_secret));
      return openSigningSecret(action.sealed_signing_secret, action.action_id, key === undefined ? [] : [key]);
    },
    sealSigningSecret: async (secret: string, actionId: string): Promise<string> =>
      sealSigningSecret(secret, actionId, await ring.currentKey(), randomBytes),
  };
}
