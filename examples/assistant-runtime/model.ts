// The interface of a model. `bedrock-model.ts` implements it with Amazon Bedrock, and `scripted-model.ts` for a trial without it.

export type JsonObject = { readonly [key: string]: unknown };

/** A tool from the list of `ai-action`. */
export type Tool = { readonly name: string; readonly description: string; readonly input_schema: JsonObject };

export type ToolCall = {
  readonly kind: 'toolCall';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
};
/** `completed`, or why the call failed. */
export type Outcome =
  | 'completed'
  | 'unavailable'
  | 'invalid_arguments'
  | 'limit_reached'
  | 'already_called'
  | 'unknown_tool';

export type ToolAnswer = {
  readonly kind: 'toolAnswer';
  readonly id: string;
  readonly outcome: Outcome;
  readonly content: JsonObject;
};
export type Text = { readonly kind: 'text'; readonly text: string };

export type Message =
  | { readonly role: 'user'; readonly content: readonly (Text | ToolAnswer)[] }
  | { readonly role: 'assistant'; readonly content: readonly (Text | ToolCall)[] };

export type ModelReply = {
  readonly content: readonly (Text | ToolCall)[];
  readonly inputTokens: number;
  readonly outputTokens: number;
};

export type Model = (request: {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
}) => Promise<ModelReply>;
