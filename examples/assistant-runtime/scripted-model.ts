import type { Model } from './model.ts';

/**
 * A model for a trial without Bedrock. When the visitor names a number and the assistant has a tool, it calls the first tool with that
 * number for each required parameter, and then says what the tool answered.
 */
export const scriptedModel: Model = async ({ messages, tools }) => {
  const tokenCounts = { inputTokens: 20, outputTokens: 10 };
  const [part] = messages.at(-1)?.content ?? [];
  if (part?.kind === 'toolAnswer') {
    return { content: [{ kind: 'text', text: `The tool answered ${JSON.stringify(part.content)}.` }], ...tokenCounts };
  }
  const number = part?.kind === 'text' ? /\d+/.exec(part.text)?.[0] : undefined;
  const [tool] = tools;
  if (tool === undefined || number === undefined) {
    const text = tool === undefined ? 'This assistant has no tool.' : `Name a number, and I call ${tool.name}.`;
    return { content: [{ kind: 'text', text }], ...tokenCounts };
  }
  const { required, properties } = tool.input_schema;
  const names = Array.isArray(required) ? required.map(String) : [];
  const isNumber = (name: string) => /^(?:integer|number)$/.test(Object(Object(properties)[name]).type);
  const input = Object.fromEntries(names.map((name) => [name, isNumber(name) ? Number(number) : number]));
  return { content: [{ kind: 'toolCall', id: 'call-1', name: tool.name, input }], ...tokenCounts };
};
