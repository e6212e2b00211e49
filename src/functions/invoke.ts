import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type * as z from 'zod';
import { INTERNAL_ERROR } from '../contract/errors.ts';
import type { RefusedInvocation } from '../contract/invocations.ts';
import { inputOf, Refusal } from '../domain/refusal.ts';
import { countRefusal } from './reports.ts';
import { shownError } from './shell.ts';

/**
 * Creates a Lambda handler for direct invocation by other parts of the platform; IAM controls who may invoke it. Returns invalid input
 * and refusals as results with code and status. Other errors become function errors without their cause.
 */
export function invokeHandler<Input, Result extends object>(
  logger: Logger,
  schema: z.ZodType<Input>,
  operation: (input: Input, context: Context) => Promise<Result>,
) {
  return middy<unknown, (Result & { readonly success: true }) | RefusedInvocation>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(async (event: unknown, context: Context) => {
      try {
        const input = inputOf(schema, event);
        logger.appendKeys(idsOf(input));
        return { success: true, ...(await operation(input, context)) };
      } catch (error) {
        if (error instanceof Refusal) {
          countRefusal(error);
          return refused(error);
        }
        logger.error('The invocation failed', {
          error: shownError(error),
        });
        throw new Error(INTERNAL_ERROR.message);
      }
    });
}

function refused({ code, status, message, field, retryAfterSeconds }: Refusal): RefusedInvocation {
  return {
    success: false,
    code,
    status,
    error: message,
    ...(field === undefined ? {} : { field }),
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
  };
}

/** Returns the ids of an input, for the log. */
function idsOf(input: unknown): Record<string, string> {
  const entries = Object.entries(input ?? {});
  return Object.fromEntries(entries.filter(([name]) => ['org_id', 'site_id', 'action_id'].includes(name)));
}
