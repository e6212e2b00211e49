import type { AwsAccess } from '../../src/adapters/aws-clients.ts';

/** The deployment that the checks run against. `output` returns a stack output and throws when the stack has no such output. */
export type Deployment = {
  readonly access: AwsAccess;
  readonly stack: string;
  readonly output: (name: string) => string;
};
/** A check that only a real AWS account can perform. `run` resolves with the observed result, and rejects when the check fails. */
export type Check = { readonly name: string; readonly run: (deployment: Deployment) => Promise<string> };

/** Fails a check unless its condition holds. @throws Error with the observed result */
export function expectThat(holds: boolean, seen: string): void {
  if (!holds) throw new Error(seen);
}
