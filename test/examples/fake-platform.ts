import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { vaWave } from '../../examples/assistant-runtime/va-wave.ts';
import { toolRequest, usageReport } from '../../src/contract/invocations.ts';
import { type BusEvent, busEvent } from '../../src/contract/queues.ts';
import { type CallToolPorts, callTool, listTools } from '../../src/domain/actions/call-tool.ts';
import { reportUsage } from '../../src/domain/usage/report-usage.ts';
import { anAiAction, ORG_ID, SITE_ID } from '../fakes/configuration.ts';
import { attemptFakes, FakeOutbound, openSigningSecret } from '../fakes/delivery.ts';
import { memoryConversations, someClaims } from '../fakes/widget.ts';
import { startServer } from '../harness/server.ts';

export const SESSION_TOKEN = 'the token of the visitor';
export const USAGE_SECRET = 'usage-secret-of-at-least-32-characters';

/**
 * Starts a fake Lambda and EventBridge for the real SDK clients. The functions run the service's own contract and rules. One
 * AI-decided Action is configured: `look-up-an-order`, which has the parameter `order` and feeds its response back.
 */
export async function startPlatform() {
  const endpoint = new FakeOutbound();
  const webhook = new FakeOutbound();
  const published: BusEvent[] = [];
  const unavailable = new Set<string>();

  const found = anAiAction({
    feed_response_back: true,
    parameters: { type: 'object', properties: { order: { type: 'string', pattern: '^[0-9]+$' } }, required: ['order'] },
  });
  if (found.trigger !== 'AI-decided') throw new Error('The Action has another trigger');
  const action = found;
  const recording = attemptFakes().ports.attempts;
  const common = { now: () => new Date(), newId: randomUUID };
  const toolPorts: CallToolPorts & Parameters<typeof listTools>[1] = {
    ...common,
    configuration: {
      toolsOf: async () => [action],
      findAssistant: async () => undefined,
      findTool: async (_site, slug) => (slug === action.slug ? action : undefined),
    },
    conversations: memoryConversations(common.now),
    signingSecrets: { openSigningSecret },
    attempts: { ...recording, makeAttempt: endpoint.makeAttempt },
    report: { recordFailed: () => {} },
  };

  const functions: Record<string, (input: unknown) => Promise<object>> = {
    'ai-action': async (input) => {
      const request = toolRequest.parse(input);
      if (request.operation === 'listTools') return { tools: await listTools(request.site_id, toolPorts) };
      return callTool(request, toolPorts);
    },
    'usage-report': async (input) =>
      reportUsage(usageReport.parse(input), {
        ...common,
        tokens: {
          verifyTokenOfTurn: async (token) =>
            token === SESSION_TOKEN
              ? someClaims({ usage_webhook: { url: 'https://backend.example/usage', secret: USAGE_SECRET } })
              : undefined,
        },
        configuration: { findAssistant: async () => undefined },
        attempts: { ...recording, makeAttempt: webhook.makeAttempt },
      }),
  };

  const { origin, stop } = await startServer(async (request, response) => {
    const body = Object(await json(request));
    const name = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/.exec(request.url ?? '')?.[1] ?? 'bus';
    if (unavailable.has(name)) return response.writeHead(400).end('{}');
    if (name === 'bus') {
      const entries: { DetailType: string; Detail: string }[] = body.Entries;
      const events = entries.map(({ DetailType, Detail }) => ({
        id: randomUUID(),
        'detail-type': DetailType,
        time: '2026-03-04T05:06:07Z',
        detail: JSON.parse(Detail),
      }));
      published.push(...events.map((event) => busEvent.parse(event)));
      const answer = { FailedEntryCount: 0, Entries: events.map(({ id }) => ({ EventId: id })) };
      return response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
    }
    const answer = await functions[name]?.(body).then(
      (result) => ({ success: true, ...result }),
      (error: Error) => ({ success: false, error: error.message }),
    );
    response.end(JSON.stringify(answer));
  });
  const client = {
    endpoint: origin,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
  const lambda = new LambdaClient(client);
  const events = new EventBridgeClient(client);
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
    /** Receives the usage reports. */
    webhook,
    published,
    /** Names of the functions, or `bus`, that do not answer. */
    unavailable,
    stop: () => {
      lambda.destroy();
      events.destroy();
      stop();
    },
  };
}
