import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { type TestResult, testResult } from '../../contract/dashboard.ts';
import { MESSAGES } from '../../contract/messages.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { AwsAccess } from '../aws-access.ts';

/** One attempt is five seconds at most, with the log around it; only then is it worth giving up. Never sent twice. */
export function lambdaClient(access: AwsAccess = {}): LambdaClient {
  return new LambdaClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 14_000, throwOnRequestTimeout: true },
    ...access,
  });
}

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
    const { Payload, FunctionError } = await client.send(
      new InvokeCommand({
        FunctionName: functionName,
        Payload: Buffer.from(JSON.stringify({ org_id: orgId, action_id: actionId })),
      }),
    );
    if (FunctionError !== undefined || Payload === undefined) throw new Error('The test function failed');
    const parsed = answer.parse(JSON.parse(Buffer.from(Payload).toString('utf8')));
    if (parsed.success) return parsed.result;
    // The function's refusals are a used-up limit and an Action that was deleted a moment ago.
    throw new Refusal(parsed.error === MESSAGES.rateLimitExceeded ? 429 : 404, parsed.error);
  };
}
