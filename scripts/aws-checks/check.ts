import type { AwsAccess } from '../../src/adapters/aws-clients.ts';

/** What is checked. */
export type Deployment = {
  readonly access: AwsAccess;
  readonly stack: string;
  readonly output: (name: string) => string;
};
/** One thing that only a real account can prove. It resolves with what was seen, and throws when that is not enough. */
export type Check = { readonly name: string; readonly run: (deployment: Deployment) => Promise<string> };

/** @throws when the check fails, with what was seen */
export function expectThat(holds: boolean, seen: string): void {
  if (!holds) throw new Error(seen);
}
