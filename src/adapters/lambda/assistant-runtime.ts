import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { ToolRequest } from '../../contract/tools.ts';
import type { UsageReportInput } from '../../contract/usage.ts';
import { invokeOperation } from './invoke-operation.ts';

/** The calls of an assistant runtime to this service, for manual tests. */
export type AssistantRuntime = {
  /** @throws Refusal 400 */
  readonly tool: (request: ToolRequest) => Promise<object>;
  /** @throws Refusal 400, 401 for an invalid token */
  readonly reportUsage: (report: UsageReportInput) => Promise<object>;
};

export function assistantRuntime(
  client: LambdaClient,
  functions: { readonly aiAction: string; readonly usageReport: string },
): AssistantRuntime {
  return {
    tool: (request) => invokeOperation(client, functions.aiAction, request),
    reportUsage: (report) => invokeOperation(client, functions.usageReport, report),
  };
}
