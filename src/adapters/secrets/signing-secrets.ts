import type { Action } from '../../contract/actions.ts';
import { openSigningSecret, sealedWith, sealSigningSecret } from '../../domain/delivery/signing-secret.ts';
import type { RandomBytes } from '../../domain/sources.ts';
import type { CachedRing } from './secret-store.ts';

/** Opens and seals the signing secrets of Actions with the keys of the sealing ring. */
export function signingSecrets(ring: CachedRing, randomBytes: RandomBytes) {
  return {
    openSigningSecret: async (action: Action): Promise<string> => {
      const key = await ring.byId(sealedWith(action.sealed_signing_secret));
      return openSigningSecret(action.sealed_signing_secret, action.action_id, key === undefined ? [] : [key]);
    },

    sealSigningSecret: async (secret: string, actionId: string): Promise<string> =>
      sealSigningSecret(secret, actionId, await ring.current(), randomBytes),
  };
}
