import {
  type BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  type Message as ConverseMessage,
} from '@aws-sdk/client-bedrock-runtime';
import type { Message, Model, Text, ToolAnswer, ToolCall } from './model.ts';

type ToolConfig = NonNullable<ConverseCommandInput['toolConfig']>;
type ConverseTool = NonNullable<ToolConfig['tools']>[number];
/** The SDK's type for JSON. */
type Document = NonNullable<NonNullable<ContentBlock['toolUse']>['input']>;

/** Returns a model that calls Amazon Bedrock's Converse API. @param modelId a model or inference profile that supports tool use */
export function bedrockModel(client: BedrockRuntimeClient, modelId: string): Model {
  return async ({ system, messages, tools }) => {
    const { output, usage, stopReason } = await client.send(
      new ConverseCommand({
        modelId,
        system: [{ text: system }],
        messages: messages.map(converseMessage),
        // Converse refuses an empty list.
        ...(tools.length === 0 ? {} : { toolConfig: { tools: tools.map(converseTool) } }),
        inferenceConfig: { maxTokens: 1024 },
      }),
    );
    return {
      // The arguments of the last call are not whole when the limit of tokens has cut them, so none of its calls is made.
      content: (output?.message?.content ?? [])
        .flatMap(ourBlock)
        .filter(({ kind }) => kind === 'text' || stopReason !== 'max_tokens'),
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
    };
  };
}

function converseTool({ name, description, input_schema }: Parameters<Model>[0]['tools'][number]): ConverseTool {
  return { toolSpec: { name, description, inputSchema: { json: documentOf(input_schema) } } };
}

function converseMessage({ role, content }: Message): ConverseMessage {
  return { role, content: content.map(converseBlock) };
}

function converseBlock(block: Text | ToolCall | ToolAnswer): ContentBlock {
  switch (block.kind) {
    case 'text':
      return { text: block.text };
    case 'toolCall':
      return { toolUse: { toolUseId: block.id, name: block.name, input: documentOf(block.input) } };
    case 'toolAnswer':
      return {
        toolResult: {
          toolUseId: block.id,
          status: block.outcome === 'completed' ? 'success' : 'error',
          content: [{ json: documentOf(block.content) }],
        },
      };
  }
}

/** Converts a block of the answer. Ignores other kinds of blocks, such as the model's reasoning, and blank text, which Converse does not take back. */
function ourBlock({ text, toolUse }: ContentBlock): (Text | ToolCall)[] {
  if (text?.trim()) return [{ kind: 'text', text }];
  if (toolUse?.toolUseId === undefined || toolUse.name === undefined) return [];
  return [{ kind: 'toolCall', id: toolUse.toolUseId, name: toolUse.name, input: Object(toolUse.input) }];
}

/** Leaves out undefined members, for which the SDK's type of JSON has no value. */
function documentOf(value: object): Document {
  return JSON.parse(JSON.stringify(value));
}
