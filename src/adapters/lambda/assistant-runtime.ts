import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { ToolRequest } from '../../contract/tools.ts';
import type { UsageReportInput } from '../../contract/usage.ts';
import { invokeOperation } from './invoke-operation.ts';

/** What an assistant runtime does with this service, for trying it by hand. */
export type AssistantRuntime = {
  /** @throws Refusal 400 */
  readonly tool: (request: ToolRequest) => Promise<object>;
  /** @throws Refusal 400, 401 for a token that is not ours */
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
