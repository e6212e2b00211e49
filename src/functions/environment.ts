import type { ENVIRONMENT } from '../contract/environment.ts';

type Name = (typeof ENVIRONMENT)[keyof typeof ENVIRONMENT];

/**
 * Returns the value of an environment variable that the stack sets.
 * @throws Error when it is not set. Handlers call it at import, so that a missing variable fails the first invocation.
 */
export function required(environment: NodeJS.ProcessEnv, name: Name): string {
  const value = environment[name];
  if (value === undefined || value === '') throw new Error(`Environment variable ${name} is not set`);
  return value;
}
