import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { testResult } from '../contract/dashboard.ts';
import { refusedInvocation, type ToolRequest, type UsageReportInput } from '../contract/invocations.ts';
import type { World } from '../domain/context.ts';
import { parseJson } from '../domain/parse-json.ts';
import { Refusal } from '../domain/refusal.ts';
import { ServiceError } from '../domain/service-error.ts';

const answer = z.discriminatedUnion('success', [z.looseObject({ success: z.literal(true) }), refusedInvocation]);

/**
 * Invokes an operation of this service and waits for its result.
 * @throws Refusal with the code, message, fields and retry time with which the function refused; Error when the function failed, with the cause in its log
 */
async function invokeOperation(client: LambdaClient, functionName: string, input: object): Promise<object> {
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(input)) }),
  );
  if (FunctionError !== undefined || Payload === undefined)
    throw new ServiceError(`The function ${functionName} failed`);
  const functionAnswer = answer.parse(parseJson(Buffer.from(Payload).toString('utf8')));
  if (functionAnswer.success) {
    const { success, ...result } = functionAnswer;
    return result;
  }
  const { code, error, fields = [], retry_after_seconds } = functionAnswer;
  throw new Refusal(code, { message: error, fields, retryAfterSeconds: retry_after_seconds });
}

const testAnswer = z.object({ result: testResult });

/**
 * Returns a function that sends a test request through the action-test function, because the dashboard API makes no outbound requests.
 * @throws Refusal as testAction does: 404, 409 while the organization is suspended, 429
 */
export function actionTestFunction(client: LambdaClient, functionName: string): World['testAction'] {
  return async (orgId, actionId, change = {}) => {
    const input = { org_id: orgId, action_id: actionId, change };
    return testAnswer.parse(await invokeOperation(client, functionName, input)).result;
  };
}

/** Creates the calls of an assistant runtime by the names of its functions. @throws Refusal 400, 401 for a bad token */
export const assistantRuntime = (
  client: LambdaClient,
  functions: { readonly aiAction: string; readonly usageReport: string },
) => ({
  tool: (request: ToolRequest) => invokeOperation(client, functions.aiAction, request),
  reportUsage: (report: UsageReportInput) => invokeOperation(client, functions.usageReport, report),
});
