import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type * as z from 'zod';
import { describeIssue } from '../../contract/text.ts';
import type { ErrorResponse } from '../../contract/widget.ts';
import { Refusal } from '../../domain/refusal.ts';
import { countRefusal } from './refusals-metric.ts';

/**
 * Wraps an operation into a Lambda handler for direct invocation by other parts of the platform (IAM decides who may). Wrong
 * input and refusals are answers of the error shape; faults become function errors without their cause.
 */
export function invokeHandler<Input, Result extends object>(
  logger: Logger,
  schema: z.ZodType<Input>,
  operation: (input: Input) => Promise<Result>,
) {
  return middy<unknown, (Result & { readonly success: true }) | ErrorResponse>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(async (event: unknown) => {
      const input = schema.safeParse(event);
      if (!input.success) return { success: false, error: describeIssue(input.error) };
      logger.appendKeys(idsOf(input.data));
      try {
        return { success: true, ...(await operation(input.data)) };
      } catch (error) {
        if (error instanceof Refusal) {
          countRefusal(error);
          return { success: false, error: error.message };
        }
        logger.error('The invocation failed', {
          error: error instanceof Error ? error : new Error('A value that is no Error was thrown'),
        });
        throw new Error('Internal error');
      }
    });
}

/** Whom an input is about, for the log. */
function idsOf(input: unknown): Record<string, string> {
  const entries = Object.entries(input ?? {});
  return Object.fromEntries(entries.filter(([name]) => ['org_id', 'site_id', 'action_id'].includes(name)));
}
