import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Model } from '../../examples/assistant-runtime/model.ts';
import { asksFor, text } from './scripted-model.ts';
import { describeWhere, missingPackage } from './where-installed.ts';

// The imports are computed, because types and tests must not need a package that only the example has.
const SDK = '@aws-sdk/client-bedrock-runtime';
const HTTP_1 = '@smithy/node-http-handler';
const ADAPTER = '../../examples/assistant-runtime/bedrock-model.ts';

describeWhere(missingPackage(SDK), 'examples/assistant-runtime/bedrock-model.ts', () => {
  const bodies: unknown[] = [];
  let answer: object;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push([request.url, JSON.parse(Buffer.concat(chunks).toString())]);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  let model: Model;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const { BedrockRuntimeClient } = await import(SDK);
    const { NodeHttpHandler } = await import(HTTP_1);
    const { bedrockModel } = await import(ADAPTER);
    const client = new BedrockRuntimeClient({
      endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      requestHandler: new NodeHttpHandler(),
    });
    model = bedrockModel(client, 'a-model');
  });
  afterAll(() => server.close().closeAllConnections());

  test('calls the Converse API and converts its answer', async () => {
    answer = {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm.' } } },
            { text: 'One moment.' },
            { toolUse: { toolUseId: 'call-2', name: 'find', input: { order: '2' } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
    };
    const reply = await model({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [text('Where is it?')] },
        { role: 'assistant', content: [asksFor('find', { order: '1' })] },
        {
          role: 'user',
          content: [{ kind: 'toolAnswer', id: 'call-1', outcome: 'unavailable', content: { message: 'No.' } }],
        },
      ],
      tools: [{ name: 'find', description: 'Finds an order', input_schema: { type: 'object', properties: {} } }],
    });
    expect(reply).toEqual({
      content: [text('One moment.'), asksFor('find', { order: '2' }, 'call-2')],
      inputTokens: 7,
      outputTokens: 3,
    });
    expect(bodies).toEqual([
      [
        '/model/a-model/converse',
        expect.objectContaining({
          system: [{ text: 'Be brief.' }],
          messages: [
            { role: 'user', content: [{ text: 'Where is it?' }] },
            {
              role: 'assistant',
              content: [{ toolUse: { toolUseId: 'call-1', name: 'find', input: { order: '1' } } }],
            },
            {
              role: 'user',
              content: [
                { toolResult: { toolUseId: 'call-1', status: 'error', content: [{ json: { message: 'No.' } }] } },
              ],
            },
          ],
          toolConfig: {
            tools: [
              {
                toolSpec: {
                  name: 'find',
                  description: 'Finds an order',
                  inputSchema: { json: { type: 'object', properties: {} } },
                },
              },
            ],
          },
        }),
      ],
    ]);
  });
});
