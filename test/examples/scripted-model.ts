import type { Model, ModelReply, ToolCall } from '../../examples/assistant-runtime/model.ts';

/** A reply of 100 tokens in and 20 out. */
export function replies(...content: ModelReply['content']): ModelReply {
  return { content, inputTokens: 100, outputTokens: 20 };
}

export const text = (said: string) => ({ kind: 'text', text: said }) as const;

export function asksFor(name: string, input: ToolCall['input'], id = 'call-1'): ToolCall {
  return { kind: 'toolCall', id, name, input };
}

/** A model that answers by a script, the last line for ever, and remembers what it was asked. An Error is thrown. */
export class ScriptedModel {
  readonly requests: Parameters<Model>[0][] = [];
  readonly #script: readonly (ModelReply | Error)[];

  constructor(...script: readonly (ModelReply | Error)[]) {
    this.#script = script;
  }

  readonly model: Model = async (request) => {
    const reply = this.#script[Math.min(this.requests.length, this.#script.length - 1)];
    this.requests.push({ ...request, messages: [...request.messages] });
    if (reply === undefined || reply instanceof Error) throw reply ?? new Error('The script is empty');
    return reply;
  };

  /** What the model was told last. */
  lastTold() {
    return this.requests.at(-1)?.messages.at(-1)?.content;
  }
}
