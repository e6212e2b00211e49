import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type * as z from 'zod';
import { INTERNAL_ERROR } from '../contract/errors.ts';
import type { RefusedInvocation } from '../contract/invocations.ts';
import type { Invocation } from '../domain/facts.ts';
import { inputOf, Refusal } from '../domain/refusal.ts';
import { errorBody } from './error-body.ts';
import type { Shell } from './invocation.ts';

/**
 * Creates a Lambda handler for direct invocation by other parts of the platform; IAM controls who may invoke it. Returns invalid input
 * and refusals as results with code and status. Other errors become function errors without their cause.
 */
export function invokeHandler<Input, Result extends object>(
  { logger, invoke }: Shell,
  schema: z.ZodType<Input>,
  operation: (input: Input, invocation: Invocation) => Promise<Result>,
) {
  return middy<unknown, (Result & { readonly success: true }) | RefusedInvocation>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler((event: unknown, context: Context) =>
      invoke(context, async (invocation) => {
        try {
          const input = inputOf(schema, event);
          logger.appendKeys(idsOf(input));
          return { success: true, ...(await operation(input, invocation)) };
        } catch (cause) {
          if (cause instanceof Refusal) {
            const { code, status, retryAfterSeconds: retry_after_seconds, facts } = cause;
            // An invocation has no route.
            invocation.reportFact({
              kind: 'request_refused',
              route: undefined,
              site_id: undefined,
              code,
              status,
              ...facts,
            });
            return { ...errorBody(cause), code, status, retry_after_seconds };
          }
          invocation.reportFact({ kind: 'invocation_failed', cause });
          throw new Error(INTERNAL_ERROR.message);
        }
      }),
    );
}

function idsOf(input: unknown): Record<string, string> {
  const entries = Object.entries(input ?? {});
  return Object.fromEntries(entries.filter(([name]) => ['org_id', 'site_id', 'action_id'].includes(name)));
}
