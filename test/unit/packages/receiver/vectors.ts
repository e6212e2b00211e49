import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Trigger } from '../../../../packages/receiver/src/index.ts';

type Vector = {
  readonly name: string;
  readonly secret: string;
  /** Unix seconds. */
  readonly now: number;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signed_body?: string;
  readonly signed_with?: string;
  readonly expected: { readonly status: number; readonly deduplication_key?: string | null };
};
type ActionVector = Vector & { readonly trigger: Trigger };

const file = new URL('../../../../packages/receiver/vectors.json', import.meta.url);
export const vectors: { readonly actions: readonly ActionVector[]; readonly usage_webhooks: readonly Vector[] } =
  JSON.parse(readFileSync(file, 'utf8'));

/**
 * Signs a vector of an Action again, for a receiver whose clock a test cannot set. Its age is 20 % further from the limit, because that
 * clock goes on.
 */
export function atPresent(vector: ActionVector, now: Date): ActionVector {
  const { secret, body, signed_body = body, signed_with = secret } = vector;
  const signature = vector.headers['X-Service-Signature'];
  if (signature === undefined) return vector;
  const signed = Number(/t=(\d+)/.exec(signature)?.[1] ?? vector.now);
  const age = vector.now - signed;
  const t = Math.floor(now.getTime() / 1000 - age * (Math.abs(age) > 300 ? 1.2 : 0.8));
  const digest = (at: number) => createHmac('sha256', signed_with).update(`${at}.${signed_body}`).digest('hex');
  const [old, fresh] = [digest(signed), digest(t)];
  // A vector may hold the digest cut short.
  const moved = signature
    .replace(old, fresh)
    .replace(old.slice(0, 62), fresh.slice(0, 62))
    .replace(`t=${signed}`, `t=${t}`);
  return { ...vector, headers: { ...vector.headers, 'X-Service-Signature': moved } };
}
