import type { JsonObject, Outcome, Tool } from './model.ts';

/** The result of a tool call for the assistant (`ai-action`). */
export type ToolResult = {
  readonly outcome: Outcome;
  readonly message: string;
  readonly response?: JsonObject | string;
};

export type Usage = { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number };

/** The interface of va-wave. `va-wave.ts` implements it on AWS; tests run it with the service's own rules. */
export type Platform = {
  readonly listTools: () => Promise<readonly Tool[]>;
  readonly callTool: (conversationId: string, tool: string, args: JsonObject) => Promise<ToolResult>;
  /** Resolves to `should_continue: false` only when the customer's usage webhook answered so. */
  readonly reportUsage: (sessionToken: string, usage: Usage) => Promise<{ readonly should_continue: boolean }>;
  readonly publish: (event: 'message.received' | 'message.sent', data: JsonObject) => Promise<void>;
};
