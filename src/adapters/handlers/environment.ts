import type { ENVIRONMENT } from '../../contract/environment.ts';

type Name = (typeof ENVIRONMENT)[keyof typeof ENVIRONMENT];

/** The value of an environment variable that the stack sets. @throws at import, so that a forgotten one fails the deploy's first call */
export function required(environment: NodeJS.ProcessEnv, name: Name): string {
  const value = environment[name];
  if (value === undefined || value === '') throw new Error(`Environment variable ${name} is not set`);
  return value;
}
