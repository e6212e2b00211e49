import type { JsonObject, Tool } from './model.ts';

/** What the assistant is told of a tool call (`ai-action`). */
export type ToolResult = {
  readonly outcome: 'completed' | 'unavailable' | 'invalid_arguments' | 'limit_reached' | 'unknown_tool';
  readonly message: string;
  readonly response?: JsonObject | string;
};

export type Usage = { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number };

/** What the turn needs of va-wave. `va-wave.ts` speaks to AWS; tests run the service's own rules. */
export type Platform = {
  readonly listTools: () => Promise<readonly Tool[]>;
  readonly callTool: (conversationId: string, tool: string, args: JsonObject) => Promise<ToolResult>;
  /** False only when the customer's usage webhook said so. */
  readonly reportUsage: (sessionToken: string, usage: Usage) => Promise<{ readonly should_continue: boolean }>;
  readonly publish: (event: 'message.received' | 'message.sent', data: JsonObject) => Promise<void>;
};
