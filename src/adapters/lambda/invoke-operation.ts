import type { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { refusedInvocation } from '../../contract/invocations.ts';
import { Refusal } from '../../domain/refusal.ts';
import { invokeFunction } from './invoke-function.ts';

const answer = z.discriminatedUnion('success', [z.looseObject({ success: z.literal(true) }), refusedInvocation]);

/**
 * Invokes an operation of this service and waits for its result.
 * @throws Refusal with the code, message, field and retry time with which the function refused; Error when the function failed
 */
export async function invokeOperation(client: LambdaClient, functionName: string, input: object): Promise<object> {
  const parsed = answer.parse(await invokeFunction(client, functionName, input));
  if (parsed.success) {
    const { success, ...result } = parsed;
    return result;
  }
  const { code, error, field, retry_after_seconds } = parsed;
  throw new Refusal(code, { message: error, field, retryAfterSeconds: retry_after_seconds });
}
