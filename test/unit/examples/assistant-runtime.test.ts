import { once } from 'node:events';
import { createServer } from 'node:http2';
import { json } from 'node:stream/consumers';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { bedrockModel } from '../../../examples/assistant-runtime/bedrock-model.ts';
import type { Model, ModelReply, ToolCall } from '../../../examples/assistant-runtime/model.ts';
import { type Conversation, runTurn } from '../../../examples/assistant-runtime/turn.ts';
import { verifyAction, verifyUsageWebhook } from '../../../packages/receiver/src/index.ts';
import { answered } from '../../fakes/delivery.ts';
import { ACCESS } from '../../fakes/memory-clients.ts';
import { fakePlatform, SESSION_TOKEN, USAGE_SECRET } from './fake-platform.ts';

const ORDER = 'look-up-an-order';

/** Returns a reply with 100 input tokens and 20 output tokens. */
const replies = (...content: ModelReply['content']): ModelReply => ({ content, inputTokens: 100, outputTokens: 20 });
const text = (said: string) => ({ kind: 'text', text: said }) as const;
const asksFor = (name: string, input: ToolCall['input'], id = 'call-1'): ToolCall => ({
  kind: 'toolCall',
  id,
  name,
  input,
});

/** A model that answers with a list of replies, repeats the last one, and records the requests. It throws a reply that is an Error. */
class ScriptedModel {
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

describe('examples/assistant-runtime', () => {
  let fakes: ReturnType<typeof fakePlatform>;
  let said: string[];
  let faults: string[];
  beforeEach(() => {
    fakes = fakePlatform();
    said = [];
    faults = [];
  });

  const begin = (changes: Partial<Conversation> = {}): Conversation => ({
    id: 'c1',
    sessionToken: SESSION_TOKEN,
    messages: [],
    hasEnded: false,
    ...changes,
  });
  const turn = (conversation: Conversation, { model }: ScriptedModel, question = 'Where is my order 1001?') =>
    runTurn(conversation, question, {
      model,
      platform: fakes.platform,
      say: async (reply) => {
        said.push(reply);
      },
      onFault: (what) => faults.push(what),
    });
  const reports = () =>
    fakes.webhook.requests.map(({ body, headers }) =>
      verifyUsageWebhook(body ?? '', headers, { secret: USAGE_SECRET }),
    );

  test('offers the tools, makes the tool call of the model, and shows the answer of the model', async () => {
    fakes.endpoint.outcomes = [answered(200, '{"status":"sent","łódź":"😀","number":2512292042121000001}')];
    const script = new ScriptedModel(
      replies(text('One moment.'), asksFor(ORDER, { order: '1001' })),
      replies(text('It was sent.')),
    );
    expect(await turn(begin(), script)).toBe(true);

    expect(script.requests[0]?.tools).toEqual([
      {
        name: ORDER,
        description: 'Finds an order by its number',
        input_schema: expect.objectContaining({ type: 'object', required: ['order'] }),
      },
    ]);
    const [request] = fakes.endpoint.requests;
    expect(
      verifyAction(request?.body ?? '', request?.headers ?? {}, { trigger: 'ai', secret: 'whsec_act_ai' }),
    ).toMatchObject({
      trigger: 'ai',
      triggerRef: 'c1',
      body: { order: '1001' },
    });
    expect(script.lastContent()).toEqual([
      {
        kind: 'toolAnswer',
        id: 'call-1',
        outcome: 'completed',
        content: {
          message: expect.any(String),
          response: { status: 'sent', łódź: '😀', number: '2512292042121000001' },
        },
      },
    ]);
    expect(said).toEqual(['It was sent.']);
    expect(faults).toEqual([]);
    expect(fakes.published.map(({ 'detail-type': name, detail }) => [name, detail.data])).toEqual([
      ['message.received', expect.objectContaining({ conversation_id: 'c1', text: 'Where is my order 1001?' })],
      ['message.sent', expect.objectContaining({ conversation_id: 'c1', text: 'It was sent.' })],
    ]);
    expect(reports()).toMatchObject([{ usage: { input_tokens: 200, output_tokens: 40, total_tokens: 240 } }]);
  });

  test('runs no further turn after the webhook has stopped the conversation', async () => {
    fakes.webhook.outcomes = [answered(200, '{"should_continue": false}')];
    const conversation = begin();
    const script = new ScriptedModel(replies(text('It was sent.')));
    expect(await turn(conversation, script)).toBe(true);
    expect(said).toEqual(['It was sent.']);
    expect(conversation.hasEnded).toBe(true);
    expect(await turn(conversation, script)).toBe(false);
    expect(script.requests).toHaveLength(1);
    expect(fakes.published).toHaveLength(2);
  });

  test('reports wrong calls to the model in their order, and stops a model that only asks for tools', async () => {
    const wrong = [asksFor('no-such-tool', { order: '1' }, 'first'), asksFor(ORDER, { order: 'ten' }, 'second')];
    const script = new ScriptedModel(replies(...wrong));
    await turn(begin(), script);
    expect(script.lastContent()).toMatchObject([
      { id: 'first', outcome: 'unknown_tool' },
      { id: 'second', outcome: 'invalid_arguments', content: { message: expect.stringContaining('order') } },
    ]);
    expect(script.requests).toHaveLength(6);
    // Two calls in each of five rounds: the sixth answer of the model is read by nobody.
    expect(fakes.called).toHaveLength(10);
    expect(said).toEqual([expect.stringContaining('ask a colleague')]);
    expect(reports()).toMatchObject([{ usage: { total_tokens: 720 } }]);
  });

  test('apologizes and reports the usage when the model fails during the turn', async () => {
    const conversation = begin();
    await turn(conversation, new ScriptedModel(replies(asksFor(ORDER, { order: '1' })), new Error('Throttled')));
    expect(said).toEqual([expect.stringContaining('ask a colleague')]);
    expect(reports()).toMatchObject([{ usage: { total_tokens: 120 } }]);
    expect(faults).toEqual(['model']);
    expect(conversation.hasEnded).toBe(false);
  });

  test('answers while all services except the model are unavailable', async () => {
    for (const name of ['bus', 'ai-action', 'usage-report']) fakes.unavailable.add(name);
    const conversation = begin();
    const script = new ScriptedModel(replies(asksFor(ORDER, { order: '1' })), replies(text('Later, then.')));
    expect(await turn(conversation, script)).toBe(true);
    expect(script.requests[0]?.tools).toEqual([]);
    expect(script.lastContent()).toMatchObject([
      { outcome: 'unavailable', content: { message: expect.stringContaining('unavailable') } },
    ]);
    expect(said).toEqual(['Later, then.']);
    expect(faults).toEqual(['message.received', 'listTools', `callTool ${ORDER}`, 'message.sent', 'reportUsage']);
    expect(conversation.hasEnded).toBe(false);
  });

  test('keeps the texts between turns, and no tool calls', async () => {
    const conversation = begin();
    await turn(conversation, new ScriptedModel(replies(asksFor(ORDER, { order: '1' })), replies(text('It was sent.'))));
    const script = new ScriptedModel(replies(text('Yesterday.')));
    await turn(conversation, script, 'When?');
    expect(script.requests[0]?.messages).toEqual([
      { role: 'user', content: [text('Where is my order 1001?')] },
      { role: 'assistant', content: [text('It was sent.')] },
      { role: 'user', content: [text('When?')] },
    ]);
  });
});

test.each([
  ['all its calls', 'tool_use', [asksFor('find', { order: '2' }, 'call-2')]],
  ['no call, when the limit of tokens has cut one', 'max_tokens', []],
])(
  'examples/assistant-runtime/bedrock-model.ts calls the Converse API, and takes of its answer the text and %s',
  async (_, stopReason, calls) => {
    const received: unknown[] = [];
    const server = createServer(async (request, response) => {
      received.push(request.url, await json(request));
      const content = [
        { reasoningContent: { reasoningText: { text: 'Hm.' } } },
        { text: '\n\n' },
        { text: 'One moment.' },
        { toolUse: { toolUseId: 'call-2', name: 'find', input: { order: '2' } } },
      ];
      const usage = { inputTokens: 7, outputTokens: 3, totalTokens: 10 };
      response.end(JSON.stringify({ output: { message: { role: 'assistant', content } }, usage, stopReason }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const client = new BedrockRuntimeClient({
      endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      ...ACCESS,
    });
    const reply = await bedrockModel(
      client,
      'a-model',
    )({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [text('Where is it?')] },
        { role: 'assistant', content: [asksFor('find', { order: '1' })] },
        {
          role: 'user',
          content: [{ kind: 'toolAnswer', id: 'call-1', outcome: 'unavailable', content: { message: 'No.' } }],
        },
      ],
      tools: [{ name: 'find', description: 'Finds an order', input_schema: { type: 'object' } }],
    });
    expect(reply).toEqual({
      content: [text('One moment.'), ...calls],
      inputTokens: 7,
      outputTokens: 3,
    });
    const asked = { toolUse: { toolUseId: 'call-1', name: 'find', input: { order: '1' } } };
    const failed = { toolUseId: 'call-1', status: 'error', content: [{ json: { message: 'No.' } }] };
    const tool = { name: 'find', description: 'Finds an order', inputSchema: { json: { type: 'object' } } };
    expect(received).toEqual([
      '/model/a-model/converse',
      expect.objectContaining({
        system: [{ text: 'Be brief.' }],
        messages: [
          { role: 'user', content: [{ text: 'Where is it?' }] },
          { role: 'assistant', content: [asked] },
          { role: 'user', content: [{ toolResult: failed }] },
        ],
        toolConfig: { tools: [{ toolSpec: tool }] },
      }),
    ]);
    client.destroy();
    server.close();
  },
);
