import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the SDK's credential provider chain in the bundles of functions (lib/bundles.ts). Lambda sets the credentials of the
 * function's role in the environment, and the chain through profiles, single sign-on and metadata services is a quarter of a bundle.
 */
export const defaultProvider = fromEnv;
