import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in the functions' bundles for the SDK's search for credentials (lib/function-code.ts): Lambda puts those of the function's role
 * into its environment, and the search through profiles, single sign-on and metadata services is a quarter of a bundle.
 */
export const defaultProvider = fromEnv;
