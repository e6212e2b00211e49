import { createHash } from 'node:crypto';
import type { Membership } from '../../contract/members.ts';
import { Refusal } from '../refusal.ts';
import { type CreationKey, CreationTaken, type RecordedStores } from './recorded-changes.ts';
import type { ConfigurationStore } from './store.ts';

/**
 * Creates something once per idempotency key: asked again with the same key, it answers with what was created the first time.
 * @throws Refusal 400 for an input that is nested too deeply, 409 when the key was used for something else, or what it created is gone
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

/** @throws Refusal 400 for an input that JSON.parse takes and JSON.stringify does not: some thousand levels of nesting */
function fingerprintOf(input: unknown): string {
  try {
    return createHash('sha256').update(JSON.stringify(input)).digest('hex');
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal('invalid_request', { message: 'is nested too deeply' });
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
