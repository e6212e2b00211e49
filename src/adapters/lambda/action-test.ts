import type { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { type TestResult, testResult } from '../../contract/dashboard.ts';
import { invokeOperation } from './invoke-operation.ts';

const answer = z.object({ result: testResult });

/**
 * Returns a function that sends a test request through the action-test function, because the dashboard API makes no outbound requests.
 * @throws Refusal as testAction does: 404, 409 while the organization is suspended, 429
 */
export function actionTestFunction(
  client: LambdaClient,
  functionName: string,
): (orgId: string, actionId: string) => Promise<TestResult> {
  return async (orgId, actionId) => {
    const input = { org_id: orgId, action_id: actionId };
    return answer.parse(await invokeOperation(client, functionName, input)).result;
  };
}
