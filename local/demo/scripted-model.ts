import type { Model, ModelReply, Text, ToolAnswer } from '../../examples/assistant-runtime/model.ts';

const FIND_AN_ORDER = 'find-an-order';
const REFUSED =
  'I may look up five orders in one conversation, and this would be the sixth. Please use a form above: a colleague will help.';

/** A scripted replacement for a model, so that the demo needs no account at a model provider. */
export const scriptedModel: Model = async ({ system, messages, tools }) => {
  const last = messages.at(-1);
  const canFind = tools.some(({ name }) => name === FIND_AN_ORDER);
  const content = last?.role === 'user' ? answerTo(last.content, `call-${messages.length}`, canFind) : [];
  return { content, inputTokens: tokensOf([system, messages]), outputTokens: tokensOf(content) };
};

function answerTo(blocks: readonly (Text | ToolAnswer)[], id: string, canFind: boolean): ModelReply['content'] {
  const answer = blocks.find((block) => block.kind === 'toolAnswer');
  if (answer !== undefined) return [text(readOut(answer))];
  const words = blocks.map((block) => (block.kind === 'text' ? block.text : '')).join(' ');
  const number = /\b\d{3,9}\b/.exec(words)?.[0];
  if (number !== undefined && canFind) {
    return [{ kind: 'toolCall', id, name: FIND_AN_ORDER, input: { number: Number(number) } }];
  }
  if (/\border\b/i.test(words)) return [text('Which number does the order have? It is on your receipt, such as 1001.')];
  return [text('I am a script, not a model. Ask me where an order is: 1001 and 1002 exist.')];
}

/** Returns the text for the visitor after a tool's answer. The answer is data; only its fields are used. */
function readOut({ outcome, content }: ToolAnswer): string {
  // The assistant receives the tool's answer; the visitor does not.
  if (outcome === 'limit_reached') return REFUSED;
  if (outcome !== 'completed') return 'I cannot look that up at the moment. Shall a colleague get back to you?';
  const { number, status = 'not known' } = Object(content.response);
  return `Order ${number} is ${status}.`;
}

const text = (words: string): Text => ({ kind: 'text', text: words });
/** About what a model would count: four characters a token. */
const tokensOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
