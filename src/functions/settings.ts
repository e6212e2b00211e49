import { ENVIRONMENT } from '../deployment/environment.ts';

/**
 * Returns the value of a setting of the function, which the stack puts into its environment.
 * @throws Error when it is not set. Handlers call it at import, so that a missing variable fails the first invocation.
 */
export function setting(name: keyof typeof ENVIRONMENT, environment: NodeJS.ProcessEnv = process.env): string {
  const value = environment[ENVIRONMENT[name]];
  if (value === undefined || value === '') throw new Error(`Environment variable ${ENVIRONMENT[name]} is not set`);
  return value;
}

export const now = (): Date => new Date();

/** Clocks of the outbound pipeline in milliseconds. `monotonicTime` measures durations; `wallTime` also advances while the container is frozen. */
export const outboundClock = { monotonicTime: () => performance.now(), wallTime: () => Date.now() };

/** Where Lambda puts the trace header of the invocation. It is there without tracing too, but then no trace has its id. */
const TRACE_HEADER = '_X_AMZN_TRACE_ID';

/** Returns the id of the invocation's X-Ray trace; undefined when the stack has no tracing. */
export function traceId(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  if (environment[ENVIRONMENT.tracing] !== 'true') return undefined;
  return /(?:^|;)Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)/.exec(environment[TRACE_HEADER] ?? '')?.[1];
}
