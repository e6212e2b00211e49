import type { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { type TestResult, testResult } from '../../contract/dashboard.ts';
import { MESSAGES } from '../../contract/messages.ts';
import { Refusal } from '../../domain/refusal.ts';
import { invokeFunction } from './invoke-function.ts';

const answer = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), result: testResult }),
  z.object({ success: z.literal(false), error: z.string() }),
]);

/**
 * The Test button by way of the action-test function: this function has no way out to customers of its own.
 * @throws Refusal 429, 404
 */
export function actionTestFunction(
  client: LambdaClient,
  functionName: string,
): (orgId: string, actionId: string) => Promise<TestResult> {
  return async (orgId, actionId) => {
    const parsed = answer.parse(await invokeFunction(client, functionName, { org_id: orgId, action_id: actionId }));
    if (parsed.success) return parsed.result;
    // The function's refusals are a used-up limit and an Action that was deleted a moment ago.
    throw new Refusal(parsed.error === MESSAGES.rateLimitExceeded ? 429 : 404, parsed.error);
  };
}
