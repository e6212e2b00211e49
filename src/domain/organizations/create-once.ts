import { createHash } from 'node:crypto';
import type { Membership } from '../../contract/members.ts';
import { Refusal } from '../refusal.ts';
import { type CreationKey, CreationTaken, type RecordedStores } from './recorded-changes.ts';
import type { ConfigurationStore } from './store.ts';

/**
 * Creates an object once per idempotency key. A repeated request with the same key returns the object of the first request.
 * @throws Refusal 400 for an input that is nested too deeply, 409 when the key was used for a different request, or when the object
 * that it created has been deleted
 */
export async function createOnce<T>(
  by: Membership,
  request: { readonly key: string; readonly input: unknown },
  work: {
    readonly create: (store: ConfigurationStore) => Promise<T>;
    readonly find: (id: string) => Promise<T | undefined>;
  },
  ports: RecordedStores,
): Promise<T> {
  const key: CreationKey = { orgId: by.org_id, sub: by.sub, key: request.key };
  const fingerprint = fingerprintOf(request.input);
  const again = await earlier(key, fingerprint, work.find, ports);
  if (again !== undefined) return again;
  try {
    return await work.create(ports.recorded(by, { key, fingerprint }));
  } catch (error) {
    if (!(error instanceof CreationTaken)) throw error;
    const first = await earlier(key, fingerprint, work.find, ports);
    if (first === undefined) throw error;
    return first;
  }
}

/** @throws Refusal 400 for an input with so many levels of nesting (some thousand) that JSON.stringify fails */
function fingerprintOf(input: unknown): string {
  try {
    return createHash('sha256').update(JSON.stringify(input)).digest('hex');
  } catch (error) {
    if (error instanceof RangeError)
      throw new Refusal('invalid_request', { message: 'The request is nested too deeply' });
    throw error;
  }
}

async function earlier<T>(
  key: CreationKey,
  fingerprint: string,
  find: (id: string) => Promise<T | undefined>,
  ports: RecordedStores,
): Promise<T | undefined> {
  const creation = await ports.findCreation(key);
  if (creation === undefined) return undefined;
  if (creation.fingerprint !== fingerprint) {
    throw new Refusal('idempotency_key_reused');
  }
  const created = await find(creation.entity_id);
  if (created === undefined) throw new Refusal('created_then_deleted');
  return created;
}
