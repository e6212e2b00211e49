import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { refusedInvocation } from '../../contract/invocations.ts';
import { parseJson } from '../../contract/json.ts';
import { Refusal } from '../../domain/refusal.ts';

const answer = z.discriminatedUnion('success', [z.looseObject({ success: z.literal(true) }), refusedInvocation]);

/**
 * Invokes an operation of this service and waits for its result.
 * @throws Refusal with the code, message, field and retry time with which the function refused; Error when the function failed, with the cause in its log
 */
export async function invokeOperation(client: LambdaClient, functionName: string, input: object): Promise<object> {
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(input)) }),
  );
  if (FunctionError !== undefined || Payload === undefined) throw new Error(`The function ${functionName} failed`);
  const parsed = answer.parse(parseJson(Buffer.from(Payload).toString('utf8')));
  if (parsed.success) {
    const { success, ...result } = parsed;
    return result;
  }
  const { code, error, field, retry_after_seconds } = parsed;
  throw new Refusal(code, { message: error, field, retryAfterSeconds: retry_after_seconds });
}
