import type { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import type { ToolRequest } from '../../contract/tools.ts';
import type { UsageReportInput } from '../../contract/usage.ts';
import { Refusal } from '../../domain/refusal.ts';
import { invokeFunction } from './invoke-function.ts';

const answer = z.discriminatedUnion('success', [
  z.looseObject({ success: z.literal(true) }),
  z.object({ success: z.literal(false), error: z.string() }),
]);

/** What an assistant runtime does with this service, for trying it by hand. */
export type AssistantRuntime = {
  /** @throws Refusal 400 */
  readonly tool: (request: ToolRequest) => Promise<object>;
  /** @throws Refusal 400 */
  readonly reportUsage: (report: UsageReportInput) => Promise<object>;
};

export function assistantRuntime(
  client: LambdaClient,
  functions: { readonly aiAction: string; readonly usageReport: string },
): AssistantRuntime {
  const call = async (functionName: string, input: object): Promise<object> => {
    const parsed = answer.parse(await invokeFunction(client, functionName, input));
    if (!parsed.success) throw new Refusal(400, parsed.error);
    const { success, ...result } = parsed;
    return result;
  };
  return {
    tool: (request) => call(functions.aiAction, request),
    reportUsage: (report) => call(functions.usageReport, report),
  };
}
