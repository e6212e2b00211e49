import type { AiAction } from '../../../src/contract/actions.ts';
import { type CallToolPorts, callTool, listTools, type ToolCallRecord } from '../../../src/domain/actions/call-tool.ts';
import { anAiAction, anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { answered, attemptFakes, unanswered } from '../../fakes/delivery.ts';
import { refusalOf } from '../../fakes/refusals.ts';
import { countingIds } from '../../fakes/sources.ts';

const PARAMETERS = { type: 'object' as const, properties: { order: { type: 'string' as const } }, required: ['order'] };
const UNAVAILABLE = { outcome: 'unavailable', message: 'The external service is unavailable. Offer a follow-up.' };

function setUp(changes: Partial<AiAction> = {}) {
  const fakes = attemptFakes();
  const recorded: ToolCallRecord[] = [];
  const unrecorded: ToolCallRecord[] = [];
  const counts = new Map<string, number>();
  const action = anAiAction({ parameters: PARAMETERS, ...changes });
  const ports: CallToolPorts = {
    ...fakes.ports,
    findTool: async (siteId, slug) => (siteId === action.site_id && slug === action.slug ? action : undefined),
    countCall: async ({ siteId, conversationId, actionId }, limit) => {
      const key = `${siteId} ${conversationId} ${actionId}`;
      const count = counts.get(key) ?? 0;
      if (count < limit) counts.set(key, count + 1);
      return count < limit;
    },
    recordCall: async (record) => {
      recorded.push(record);
    },
    recordFailed: (record) => unrecorded.push(record),
    newId: countingIds(),
  };
  const call = (
    args: Record<string, unknown> = { order: 'A1' },
    conversationId = 'c-1',
    tool = action.slug,
    other: Partial<CallToolPorts> = {},
  ) => callTool({ siteId: SITE_ID, conversationId, tool, arguments: args }, { ...ports, ...other });
  return { ...fakes, recorded, unrecorded, counts, call };
}

test('a call sends the arguments once as a flat object and returns only that it completed', async () => {
  const { call, outbound, recorded, log } = setUp();
  outbound.outcomes = [answered(200, '{"secret":"not for the assistant"}')];
  expect(await call({ order: 'A1', invented: true })).toEqual({
    outcome: 'completed',
    message: 'The Action completed.',
  });
  expect(outbound.requests).toHaveLength(1);
  expect(Buffer.from(outbound.requests[0]?.body ?? []).toString()).toBe('{"order":"A1"}');
  expect(outbound.requests[0]?.headers).toMatchObject({ 'X-Service-Trigger': 'ai', 'X-Service-Trigger-Ref': 'c-1' });
  expect(recorded).toEqual([
    {
      site_id: SITE_ID,
      conversation_id: 'c-1',
      call_id: 'id-1',
      action_id: 'act_ai',
      action_name: 'Look up an order',
      called_at: '2026-03-04T05:06:07.250Z',
      status: 200,
      latency_ms: 12,
      error: null,
    },
  ]);
  expect(log.all()).toHaveLength(1);
});

test('an Action without parameters sends an empty object', async () => {
  const { call, outbound } = setUp();
  await call({ a: 1 }, 'c-1', 'plain', { findTool: async () => anAiAction() });
  expect(Buffer.from(outbound.requests[0]?.body ?? []).toString()).toBe('{}');
});

test('refuses the sixth call in a conversation; another conversation has its own five calls', async () => {
  const { call, outbound } = setUp();
  for (let i = 0; i < 5; i++) expect((await call()).outcome).toBe('completed');
  expect(await call()).toEqual({
    outcome: 'limit_reached',
    message: 'This Action has reached its maximum use in this conversation. Offer human help.',
  });
  expect((await call({ order: 'A1' }, 'c-2')).outcome).toBe('completed');
  expect(outbound.requests).toHaveLength(6);
});

test('a failed call counts towards the limit', async () => {
  const { call, outbound } = setUp();
  outbound.outcomes = [answered(500)];
  for (let i = 0; i < 5; i++) await call();
  expect((await call()).outcome).toBe('limit_reached');
});

test('wrong arguments are refused with the field, send nothing and do not count', async () => {
  const { call, outbound, counts, recorded } = setUp();
  for (let i = 0; i < 10; i++) {
    expect(await call({})).toEqual({
      outcome: 'invalid_arguments',
      message: 'The arguments are wrong. order: is required',
    });
  }
  expect([outbound.requests, counts.size, recorded]).toEqual([[], 0, []]);
});

test.each([
  ['an unknown name', {}, 'nothing'],
  ['a disabled Action', { enabled: false }, undefined],
  ['an Action of a suspended organization', { suspended: true }, undefined],
])('%s is not a tool', async (_, changes, tool) => {
  const { call, outbound } = setUp(changes);
  expect(await call({ order: 'A1' }, 'c-1', tool)).toMatchObject({ outcome: 'unknown_tool' });
  expect(outbound.requests).toEqual([]);
});

test.each([answered(404), answered(500), answered(302), unanswered('timeout'), unanswered('blocked_address')])(
  'a failed request is made once and returned as unavailable',
  async (outcome) => {
    const { call, outbound, recorded } = setUp();
    outbound.outcomes = [outcome];
    expect(await call()).toEqual(UNAVAILABLE);
    expect(outbound.requests).toHaveLength(1);
    expect(recorded).toEqual([expect.objectContaining({ status: outcome.status, error: expect.any(String) })]);
  },
);

describe('an Action that feeds its response back', () => {
  test('returns the top-level fields', async () => {
    const { call, outbound } = setUp({ feed_response_back: true });
    outbound.outcomes = [answered(200, '{"status":"sent","lines":[]}')];
    expect(await call()).toEqual({
      outcome: 'completed',
      message: 'The Action completed.',
      response: { status: 'sent' },
    });
  });

  test('returns the mapped fields', async () => {
    const { call, outbound } = setUp({ feed_response_back: true, response_field_map: { first: '$.lines.0' } });
    outbound.outcomes = [answered(200, '{"status":"sent","lines":["a"]}')];
    expect(await call()).toMatchObject({ response: { first: 'a' } });
  });

  test('is unavailable when the response is incomplete; without feedback an incomplete response is accepted', async () => {
    const cut = { ...answered(200, '{"status":"se'), bodyComplete: false, note: 'The response body broke off' };
    const feeding = setUp({ feed_response_back: true });
    feeding.outbound.outcomes = [cut];
    expect(await feeding.call()).toEqual(UNAVAILABLE);
    const silent = setUp();
    silent.outbound.outcomes = [cut];
    expect((await silent.call()).outcome).toBe('completed');
  });
});

test('a call that cannot be recorded is reported to the operator, and the assistant gets its result', async () => {
  const { call, unrecorded, outbound } = setUp();
  const recordCall = async () => {
    throw new Error('away');
  };
  const answer = await call({ order: 'A1' }, 'c-1', 'look-up-an-order', { recordCall });
  expect([answer.outcome, unrecorded.length, outbound.requests.length]).toEqual(['completed', 1, 1]);
});

const notListed = () => {
  throw new Error('Every tool can be listed');
};

const found = { notListed, findAssistant: async () => anAssistant() };

test('the tools of an unknown assistant are refused; an assistant without tools, or of a suspended organization, has none', async () => {
  const none = { ...found, toolsOf: async () => [] };
  const refusal = await refusalOf(listTools(SITE_ID, { ...none, findAssistant: async () => undefined }));
  expect(refusal).toMatchObject({ code: 'assistant_not_found', status: 404, field: 'site_id' });
  expect(await listTools(SITE_ID, none)).toEqual([]);
  expect(await listTools(SITE_ID, { ...found, toolsOf: async () => [anAiAction({ suspended: true })] })).toEqual([]);
});

test('a tool with a parameter name that model APIs refuse is not listed, and is reported', async () => {
  const stored = (name: string) =>
    anAiAction({
      action_id: `act_${name}`,
      parameters: { type: 'object', properties: { [name]: { type: 'string' } }, required: [] },
    });
  const reported: unknown[] = [];
  const tools = await listTools(SITE_ID, {
    ...found,
    toolsOf: async () => [stored('Account Number'), stored('größe'), stored('a'.repeat(65)), stored('Order.id_1-2')],
    notListed: ({ action_id }, parameters) => reported.push([action_id, parameters]),
  });
  expect(tools.map(({ input_schema }) => Object.keys(input_schema.properties))).toEqual([['Order.id_1-2']]);
  expect(reported).toEqual([
    ['act_Account Number', ['Account Number']],
    ['act_größe', ['größe']],
    [`act_${'a'.repeat(65)}`, ['a'.repeat(65)]],
  ]);
});

test('tools are listed with their name, description and parameters', async () => {
  const { parameters: _, ...plain } = anAiAction({ slug: 'plain' });
  const tools = await listTools(SITE_ID, {
    ...found,
    toolsOf: async () => [anAiAction({ parameters: PARAMETERS }), plain],
  });
  expect(tools).toEqual([
    { name: 'look-up-an-order', description: 'Finds an order by its number', input_schema: PARAMETERS },
    {
      name: 'plain',
      description: 'Finds an order by its number',
      input_schema: { type: 'object', properties: {}, required: [] },
    },
  ]);
});

test('a model receives only those parts of stored parameters that this code knows', async () => {
  const newer = {
    ...PARAMETERS,
    $defs: { note: 'for the admins' },
    properties: { order: { ...PARAMETERS.properties.order, internal_note: 'not for a model' } },
  };
  const [tool] = await listTools(SITE_ID, { ...found, toolsOf: async () => [anAiAction({ parameters: newer })] });
  expect(tool?.input_schema).toEqual({ ...PARAMETERS, properties: { order: PARAMETERS.properties.order } });
});
