import { randomUUID } from 'node:crypto';
import { EventBridgeClient, type ServiceInputTypes as EventBridgeInput } from '@aws-sdk/client-eventbridge';
import { LambdaClient, type ServiceInputTypes as LambdaInput } from '@aws-sdk/client-lambda';
import { vaWave } from '../../../examples/assistant-runtime/va-wave.ts';
import { toolRequest, usageReport } from '../../../src/contract/invocations.ts';
import { type BusEvent, busEvent } from '../../../src/contract/queues.ts';
import { callTool, listTools } from '../../../src/domain/actions/call-tool.ts';
import { reportUsage } from '../../../src/domain/usage/report-usage.ts';
import { anAiAction, anAssistant, ORG_ID, SITE_ID } from '../../fakes/configuration.ts';
import { attemptFakes, FakeOutbound } from '../../fakes/delivery.ts';
import { fakeInvocation } from '../../fakes/invocation.ts';
import { memoryClients } from '../../fakes/memory-clients.ts';
import { fakeConfiguration, fakeTokens, memoryConversations, someClaims } from '../../fakes/widget.ts';

export const SESSION_TOKEN = 'the token of the visitor';
export const USAGE_SECRET = 'usage-secret-of-at-least-32-characters';

const lambdaClient = memoryClients<LambdaInput, LambdaClient>((settings) => new LambdaClient(settings));
const eventsClient = memoryClients<EventBridgeInput, EventBridgeClient>((settings) => new EventBridgeClient(settings));

/**
 * Returns a fake Lambda and EventBridge behind the SDK's clients. The functions run the service's own contract and rules. One
 * AI-decided Action is configured: `look-up-an-order`, which has the parameter `order` and feeds its response back.
 */
export function fakePlatform() {
  const endpoint = new FakeOutbound();
  const webhook = new FakeOutbound();
  const published: BusEvent[] = [];
  const unavailable = new Set<string>();
  const called: string[] = [];

  const action = anAiAction({
    feed_response_back: true,
    parameters: { type: 'object', properties: { order: { type: 'string', pattern: '^[0-9]+$' } }, required: ['order'] },
  });
  const { context } = attemptFakes();
  const now = () => new Date();
  const invocation = { ...fakeInvocation({ now }), newId: randomUUID };
  const tools = {
    ...context,
    configuration: fakeConfiguration({
      toolsOf: async () => ({ actions: [action], unreadable: [] }),
      findTool: async (_site, slug) => (slug === action.slug ? action : undefined),
    }),
    conversations: memoryConversations(now),
    send: endpoint.send,
  };

  const functions: Record<string, (input: unknown) => Promise<object>> = {
    'ai-action': async (input) => {
      const request = toolRequest.parse(input);
      if (request.operation === 'listTools') return { tools: await listTools(request, tools, invocation) };
      called.push(request.tool);
      return callTool(request, tools, invocation);
    },
    'usage-report': async (input) =>
      reportUsage(
        usageReport.parse(input),
        {
          ...context,
          tokens: fakeTokens({
            verifyTokenOfTurn: async (token) =>
              token === SESSION_TOKEN
                ? someClaims({ usage_webhook: { url: 'https://backend.example/usage', secret: USAGE_SECRET } })
                : 'not_a_token',
          }),
          configuration: fakeConfiguration({ findAssistant: async () => anAssistant() }),
          send: webhook.send,
        },
        invocation,
      ),
  };

  const reach = (name: string) => {
    if (unavailable.has(name)) throw new Error(`${name} is away`);
  };
  const lambda = lambdaClient(0, async (input) => {
    if (!('Payload' in input)) throw new Error('The fake does not know this call');
    const { FunctionName = '', Payload } = input;
    reach(FunctionName);
    const answer = await functions[FunctionName]?.(JSON.parse(String(Payload))).then(
      (result) => ({ success: true, ...result }),
      (error: Error) => ({ success: false, error: error.message }),
    );
    return { Payload: Buffer.from(JSON.stringify(answer)) };
  });
  const events = eventsClient(0, async (input) => {
    if (!('Entries' in input)) throw new Error('The fake does not know this call');
    reach('bus');
    for (const { DetailType, Detail = '' } of input.Entries ?? []) {
      const event = { id: randomUUID(), 'detail-type': DetailType, time: '2026-03-04T05:06:07Z' };
      published.push(busEvent.parse({ ...event, detail: JSON.parse(Detail) }));
    }
    return { FailedEntryCount: 0 };
  });
  return {
    platform: vaWave(lambda, events, {
      aiActionFunction: 'ai-action',
      usageReportFunction: 'usage-report',
      eventBus: 'bus',
      orgId: ORG_ID,
      siteId: SITE_ID,
    }),
    /** Receives the tool calls. */
    endpoint,
    /** Names of the tools that the runtime called, also of those that are refused. */
    called,
    /** Receives the usage reports. */
    webhook,
    published,
    /** Names of the functions, or `bus`, that do not answer. */
    unavailable,
  };
}
