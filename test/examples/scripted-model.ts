import type { Model, ModelReply, ToolCall } from '../../examples/assistant-runtime/model.ts';

/** Returns a reply with 100 input tokens and 20 output tokens. */
export function replies(...content: ModelReply['content']): ModelReply {
  return { content, inputTokens: 100, outputTokens: 20 };
}

export const text = (said: string) => ({ kind: 'text', text: said }) as const;

export function asksFor(name: string, input: ToolCall['input'], id = 'call-1'): ToolCall {
  return { kind: 'toolCall', id, name, input };
}

/** A model that answers with a list of replies, repeats the last one, and records the requests. It throws a reply that is an Error. */
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

  /** The content of the last message that the model received. */
  lastContent() {
    return this.requests.at(-1)?.messages.at(-1)?.content;
  }
}
