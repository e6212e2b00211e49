import { ENVIRONMENT } from '../contract/environment.ts';

/** Where Lambda puts the trace header of the invocation. It is there without tracing too, but then no trace has its id. */
const TRACE_HEADER = '_X_AMZN_TRACE_ID';

/** Returns the id of the invocation's X-Ray trace; undefined when the stack has no tracing. */
export function traceId(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment[ENVIRONMENT.tracing] !== 'true') return undefined;
  return /(?:^|;)Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)/.exec(environment[TRACE_HEADER] ?? '')?.[1];
}
