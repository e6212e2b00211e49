import * as z from 'zod';
import { jsonObject } from './json.ts';
import { identifier } from './widget.ts';

/** What the assistant runtime sends to the ai-action function (direct invocation; its shape is open in the spec). */
export const toolRequest = z.discriminatedUnion('operation', [
  z.object({ operation: z.literal('listTools'), site_id: identifier }),
  z.object({
    operation: z.literal('callTool'),
    site_id: identifier,
    /** Becomes the `X-Service-Trigger-Ref` header. */
    conversation_id: identifier,
    tool: z.string().min(1).max(64),
    arguments: jsonObject.default({}),
  }),
]);

export type ToolRequest = z.input<typeof toolRequest>;

/** What the assistant is told of a call. */
export type ToolResult = {
  readonly outcome: 'completed' | 'unavailable' | 'invalid_arguments' | 'limit_reached' | 'unknown_tool';
  /** For the model to read. */
  readonly message: string;
  /** Present when the Action feeds its response back: fields of a JSON response, or the beginning of any other. */
  readonly response?: Readonly<Record<string, unknown>> | string;
};

/** What the action-test function takes (direct invocation). */
export const actionTestRequest = z.object({ org_id: identifier, action_id: identifier });
