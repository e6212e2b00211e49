import { randomUUID } from 'node:crypto';
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Tool } from './model.ts';
import type { Platform, ToolResult } from './turn.ts';

export type Deployment = {
  /** Stack output `AiActionFunction`. */
  readonly aiActionFunction: string;
  /** Stack output `UsageReportFunction`. */
  readonly usageReportFunction: string;
  /** Stack output `EventBus`. */
  readonly eventBus: string;
  readonly orgId: string;
  readonly siteId: string;
};

/** Keeps an integer that JavaScript would round, such as the number of an order, as the text of its digits. */
function allDigits(_name: string, value: unknown, written?: { readonly source: string }): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? (written?.source ?? value) : value;
}

/** A little less than the bus accepts: EventBridge adds fields of its own, and a larger event would then fit into no queue of the service. */
const EVENT_MAX_BYTES = 1_048_000;

/**
 * Returns va-wave on AWS: two Lambda functions and an event bus. The caller's role needs `lambda:InvokeFunction` on the functions and
 * `events:PutEvents` on the bus.
 *
 * Create the Lambda client with `maxAttempts: 1`, because a tool call must not be repeated.
 */
export function vaWave(lambda: LambdaClient, events: EventBridgeClient, deployment: Deployment): Platform {
  const { aiActionFunction, usageReportFunction, eventBus, orgId, siteId } = deployment;

  /** @throws Error when the function fails, or refuses the input because of a mistake in this code; a mistake of the model is an answer for the model */
  async function invoke<Answer>(name: string, input: object): Promise<Answer> {
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: name, Payload: Buffer.from(JSON.stringify(input)) }),
    );
    if (FunctionError !== undefined) throw new Error(`${name} failed`);
    const answer: { success: true } | { success: false; error: string } = JSON.parse(
      Buffer.from(Payload ?? []).toString(),
      allDigits,
    );
    if (!answer.success) throw new Error(`${name} refused: ${answer.error}`);
    return answer as { success: true } & Answer;
  }

  return {
    async listTools() {
      const input = { operation: 'listTools', site_id: siteId };
      return (await invoke<{ tools: readonly Tool[] }>(aiActionFunction, input)).tools;
    },
    callTool: (conversationId, tool, args) =>
      invoke<ToolResult>(aiActionFunction, {
        operation: 'callTool',
        site_id: siteId,
        conversation_id: conversationId,
        tool,
        // Text, because Lambda rounds long numbers of an object.
        arguments_json: JSON.stringify(args),
        // Made before the invocation: one that is repeated, by a retry that was left on or a step that runs again, makes no second call.
        idempotency_key: randomUUID(),
      }),
    reportUsage: (sessionToken, usage) => invoke(usageReportFunction, { session_token: sessionToken, usage }),
    async publish(event, data) {
      const entry = {
        EventBusName: eventBus,
        Source: 'assistant-runtime',
        DetailType: event,
        Detail: JSON.stringify({ org_id: orgId, site_id: siteId, data }),
      };
      if (Buffer.byteLength(entry.Detail) > EVENT_MAX_BYTES) throw new Error(`${event} is too large for the bus`);
      const { FailedEntryCount, Entries } = await events.send(new PutEventsCommand({ Entries: [entry] }));
      if (FailedEntryCount !== 0) throw new Error(`The bus refused ${event}: ${Entries?.[0]?.ErrorCode}`);
    },
  };
}
