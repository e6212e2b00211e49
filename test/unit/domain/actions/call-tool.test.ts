import type { AiAction } from '../../../../src/contract/actions.ts';
import type { Assistant } from '../../../../src/contract/assistants.ts';
import { isWellFormed } from '../../../../src/contract/fields.ts';
import { toolRequest } from '../../../../src/contract/invocations.ts';
import { callTool, listTools, toolResponse } from '../../../../src/domain/actions/call-tool.ts';
import { InvocationEnded } from '../../../../src/domain/delivery/outbound-request.ts';
import { anAiAction, anAssistant, SITE_ID } from '../../../fakes/configuration.ts';
import { answered, attemptFakes, unanswered } from '../../../fakes/delivery.ts';
import { fakeInvocation } from '../../../fakes/invocation.ts';
import { refusalOf } from '../../../fakes/refusals.ts';
import { fakeConfiguration, memoryConversations } from '../../../fakes/widget.ts';

const PARAMETERS = { type: 'object' as const, properties: { order: { type: 'string' as const } }, required: ['order'] };
const UNAVAILABLE = { outcome: 'unavailable', message: 'The external service is unavailable. Offer a follow-up.' };

function setUp(changes: Partial<AiAction> = {}) {
  const fakes = attemptFakes();
  const conversations = memoryConversations(fakes.clock.now);
  const recorded = () => conversations.items().flatMap(({ call }) => call ?? []);
  const action = anAiAction({ parameters: PARAMETERS, ...changes });
  const context = {
    ...fakes.context,
    configuration: fakeConfiguration({
      findTool: async (siteId, slug) => {
        if (!isWellFormed(slug)) throw new Error('DynamoDB refuses this key');
        return siteId === action.site_id && slug === action.slug ? action : undefined;
      },
    }),
    conversations,
  };
  const call = (args: Record<string, unknown> = { order: 'A1' }, conversation_id = 'c-1', tool = action.slug) =>
    callTool({ site_id: SITE_ID, conversation_id, tool, arguments: args }, context, fakes.invocation);
  return { ...fakes, action, context, conversations, recorded, call };
}

describe('a call', () => {
  test('sends the arguments once as a flat object, is recorded, and returns only that it completed', async () => {
    const { call, outbound, recorded, log } = setUp();
    outbound.outcomes = [answered(200, '{"secret":"not for the assistant"}')];
    const answer = await call({ order: 'A1', invented: true });
    expect(answer).toEqual({ outcome: 'completed', message: 'The Action completed.' });
    expect(outbound.requests).toHaveLength(1);
    expect(Buffer.from(outbound.requests[0]?.body ?? []).toString()).toBe('{"order":"A1"}');
    expect(outbound.requests[0]?.headers).toMatchObject({ 'X-Service-Trigger': 'ai', 'X-Service-Trigger-Ref': 'c-1' });
    expect(recorded()).toEqual([
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
    expect(await log.all()).toHaveLength(1);
  });

  test.each([
    ['before its request, sends and records nothing', 'openSigningSecret', 0],
    ['after its request, is not recorded on the conversation', 'send', 1],
  ] as const)('whose invocation ends %s', async (_, ending, attempts) => {
    const { context, action, recorded, log } = setUp();
    const invocationEnd = new AbortController();
    const end = () => invocationEnd.abort(new InvocationEnded());
    const lateContext = {
      ...context,
      openSigningSecret: async (...secret: Parameters<typeof context.openSigningSecret>) => {
        if (ending === 'openSigningSecret') end();
        return context.openSigningSecret(...secret);
      },
      send: async (...request: Parameters<typeof context.send>) => {
        end();
        return context.send(...request);
      },
    };
    const call = { site_id: SITE_ID, conversation_id: 'c-1', tool: action.slug, arguments: { order: 'A1' } };
    const invocation = fakeInvocation({ signal: invocationEnd.signal });
    await expect(callTool(call, lateContext, invocation)).rejects.toThrow(InvocationEnded);
    expect(await log.all()).toHaveLength(attempts);
    expect(recorded()).toEqual([]);
  });

  test('of an Action without parameters sends an empty object', async () => {
    const { call, outbound } = setUp({ parameters: undefined });
    await call({ a: 1 });
    expect(Buffer.from(outbound.requests[0]?.body ?? []).toString()).toBe('{}');
  });

  test('is refused after five in the conversation, also when they failed; another one has its own five', async () => {
    const { call, outbound } = setUp();
    outbound.outcomes = [answered(500), answered(200)];
    for (let i = 0; i < 5; i++) await call();
    expect(await call()).toEqual({
      outcome: 'limit_reached',
      message: 'This Action has reached its maximum use in this conversation. Offer human help.',
    });
    expect((await call({ order: 'A1' }, 'c-2')).outcome).toBe('completed');
    expect(outbound.requests).toHaveLength(6);
  });

  test('with wrong arguments is refused with the field, sends nothing and does not count', async () => {
    const { call, outbound, conversations } = setUp();
    const message = 'The arguments are wrong. order: is required';
    for (const args of [{}, { order: null }])
      expect(await call(args)).toEqual({ outcome: 'invalid_arguments', message });
    expect([outbound.requests, conversations.items()]).toEqual([[], []]);
  });

  test.each([
    {},
    { arguments_json: '' },
    { arguments_json: ' \n' },
    { arguments_json: 'null' },
    { arguments_json: '{}' },
    { arguments_json: null },
    { arguments: null },
    { arguments_json: null, arguments: {} },
    { arguments_json: '{"order":null}' },
    { arguments_json: '[]' },
    { arguments: [] },
  ])('of a tool without required parameters takes every way in which models write no arguments: %j', async (args) => {
    const { context, invocation, outbound, action } = setUp({ parameters: { ...PARAMETERS, required: [] } });
    const ids = { operation: 'callTool', site_id: SITE_ID, conversation_id: 'c-1', tool: action.slug };
    const request = toolRequest.parse({ ...ids, ...args });
    if (request.operation !== 'callTool') throw new Error('It is a call');
    expect(await callTool(request, context, invocation)).toMatchObject({ outcome: 'completed' });
    expect(Buffer.from(outbound.requests[0]?.body ?? []).toString()).toBe('{}');
  });

  describe('with a mistake of the model is answered to the model, and sends and counts nothing', () => {
    const properties = { order: { type: 'string' as const }, number: { type: 'integer' as const } };
    test.each([
      [{ arguments: '{"order":"A1"}' }, 'arguments: must be a JSON object'],
      [{ arguments: ['A1'] }, 'arguments: must be a JSON object'],
      [{ arguments: 7 }, 'arguments: must be a JSON object'],
      [{ arguments: true }, 'arguments: must be a JSON object'],
      [{ arguments: { order: 'A1', number: 2 ** 53 } }, 'number: must be within ±9007199254740991'],
      [{ arguments: { order: 'A1', number: -1e300 } }, 'number: must be within ±9007199254740991'],
      [{ arguments: { number: 1 } }, 'order: is required'],
      [{ arguments_json: '{"order":' }, 'arguments_json: must be a JSON object'],
      [{ arguments_json: '["A1"]' }, 'arguments_json: must be a JSON object'],
      [{ arguments_json: '"A1"' }, 'arguments_json: must be a JSON object'],
      [{ arguments_json: '{"order":"A1","number":1.5}' }, 'number: must be an integer'],
      [{ tool: 'x'.repeat(10_000) }, undefined],
      [{ tool: '' }, undefined],
    ])('%j: %s', async (changes, problem) => {
      const { context, invocation, outbound, action, conversations } = setUp({
        parameters: { ...PARAMETERS, properties },
      });
      const request = {
        operation: 'callTool',
        site_id: SITE_ID,
        conversation_id: 'c-1',
        tool: action.slug,
        ...changes,
      };
      const call = toolRequest.parse(request);
      if (call.operation !== 'callTool') throw new Error('It is a call');
      expect(await callTool(call, context, invocation)).toEqual(
        problem === undefined
          ? { outcome: 'unknown_tool', message: 'There is no such Action.' }
          : { outcome: 'invalid_arguments', message: `The arguments are wrong. ${problem}` },
      );
      expect([outbound.requests, conversations.items()]).toEqual([[], []]);
    });

    test.each([
      { tool: 7 },
      { tool: undefined },
      { conversation_id: 'a b' },
      { arguments_json: { order: 'A1' } },
      { idempotency_key: '' },
      { idempotency_key: 'x'.repeat(129) },
    ])('and one of the developer is a 400: %j', (changes) => {
      const request = { operation: 'callTool', site_id: SITE_ID, conversation_id: 'c-1', tool: 'a', ...changes };
      expect(toolRequest.safeParse(request).success).toBe(false);
    });
  });

  test.each(['9007199254740992', '12345678901234567890', '-1e300'])(
    'takes the number %s of a text as it is written',
    async (number) => {
      const { context, invocation, outbound, action } = setUp({
        parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
      });
      const call = {
        site_id: SITE_ID,
        conversation_id: 'c-1',
        tool: action.slug,
        arguments_json: `{"number":${number}}`,
      };
      expect(await callTool(call, context, invocation)).toMatchObject({ outcome: 'completed' });
      expect(Buffer.from(outbound.requests[0]?.body ?? []).toString()).toBe(`{"number":${number}}`);
    },
  );

  test('with an idempotency key is made and counted once, and the key is of these arguments', async () => {
    const { context, invocation, outbound, action } = setUp();
    const call = (idempotency_key: string | undefined, order: unknown) =>
      callTool(
        { site_id: SITE_ID, conversation_id: 'c-1', tool: action.slug, arguments: { order }, idempotency_key },
        context,
        invocation,
      );
    // What is refused uses up no key.
    expect(await call('k', 7)).toMatchObject({ outcome: 'invalid_arguments' });
    expect(await call('k', 'A1')).toMatchObject({ outcome: 'completed' });
    const again = {
      outcome: 'already_called',
      message: 'This call was begun before. Whether it reached the service is not known.',
    };
    expect(await call('k', 'A1')).toEqual(again);
    const field = 'idempotency_key';
    expect(await refusalOf(call('k', 'A2'))).toMatchObject({ code: 'invalid_request', field });
    for (const key of ['k2', 'k3', undefined, undefined])
      expect(await call(key, 'A1')).toMatchObject({ outcome: 'completed' });
    expect(await call('k', 'A1')).toEqual(again);
    expect(await call('k6', 'A1')).toMatchObject({ outcome: 'limit_reached' });
    expect(outbound.requests).toHaveLength(5);
  });

  test.each([
    ...['look_up_an_order', 'Look_Up_An_Order', 'LOOK-UP-AN-ORDER', 'look-up_an-order'],
    ...['functions.look-up-an-order', 'default_api.look_up_an_order', 'shop.assistant.look-up-an-order'],
  ])('finds its tool by a name that models and frameworks change: %s', async (tool) => {
    const { call, outbound } = setUp();
    expect(await call({ order: 'A1' }, 'c-1', tool)).toMatchObject({ outcome: 'completed' });
    expect(outbound.requests).toHaveLength(1);
  });

  test.each([
    ['an unknown name', {}, 'nothing'],
    ['a name that is cut', {}, 'look-up-an'],
    ['a name without its hyphens', {}, 'lookupanorder'],
    ['a namespace without a name', {}, 'functions.'],
    ['no name', {}, ''],
    ['half of an emoji', {}, 'look-up-\ud83d'],
    ['a name with something behind it', {}, 'look-up-an-order.call'],
    ['a disabled Action', { enabled: false }, undefined],
    ['an Action of a suspended organization', { suspended: true }, undefined],
  ])('of %s is of no tool', async (_, changes, tool) => {
    const { call, outbound } = setUp(changes);
    expect(await call({ order: 'A1' }, 'c-1', tool)).toMatchObject({ outcome: 'unknown_tool' });
    expect(outbound.requests).toEqual([]);
  });

  test.each([answered(500), answered(302), unanswered('timeout')])(
    'that fails is made once, recorded, and returned as unavailable (%#)',
    async (outcome) => {
      const { call, outbound, recorded } = setUp();
      outbound.outcomes = [outcome];
      expect(await call()).toEqual(UNAVAILABLE);
      expect(outbound.requests).toHaveLength(1);
      expect(recorded()).toMatchObject([{ status: outcome.status, error: expect.any(String) }]);
    },
  );

  test('that cannot be recorded is reported to the operator, and the assistant gets its result', async () => {
    const { call, conversations, invocation, outbound } = setUp();
    const cause = new Error('away');
    Object.assign(conversations, { recordCall: () => Promise.reject(cause) });
    const answer = await call();
    expect([answer.outcome, outbound.requests.length]).toEqual(['completed', 1]);
    const call_unrecorded = { call_id: 'id-1', action_id: 'act_ai', status: 200, latency_ms: 12, cause };
    expect(invocation.of('call_unrecorded')).toEqual([{ kind: 'call_unrecorded', ...call_unrecorded }]);
  });

  test('that the service cannot make is unavailable, and its cause is reported and not recorded', async () => {
    const { call, invocation, outbound, log } = setUp();
    const cause = new Error('a fault of the sender');
    outbound.outcomes = [{ ...unanswered('internal_error'), cause }];
    expect(await call()).toEqual(UNAVAILABLE);
    const send_failed = { action_id: 'act_ai', reference: 'id-1', attempt: 1, cause };
    const attempted = { trigger: 'ai', action_id: 'act_ai', reference: 'id-1', attempt: 1, outcome: 'failed' };
    expect(invocation.facts).toMatchObject([
      { kind: 'send_failed', ...send_failed },
      { kind: 'attempt_made', ...attempted, result: { error: { code: 'internal_error' } } },
    ]);
    expect(JSON.stringify(log.items())).not.toContain('a fault of the sender');
  });
});

describe('an Action that feeds its response back', () => {
  test.each([
    ['the top-level fields', undefined, { status: 'sent' }],
    ['the mapped fields', { first: '$.lines.0' }, { first: 'a' }],
  ])('returns %s', async (_, response_field_map, response) => {
    const { call, outbound } = setUp({ feed_response_back: true, response_field_map });
    outbound.outcomes = [answered(200, '{"status":"sent","lines":["a"]}')];
    expect(await call()).toEqual({ outcome: 'completed', message: 'The Action completed.', response });
  });

  test('has completed when the response of a success is incomplete, and says that it could not be read', async () => {
    const cut = answered(200, '{"status":"se', { code: 'connection_closed', message: 'It broke off' });
    const outcomes = [true, false].map((feed_response_back) => {
      const { call, outbound } = setUp({ feed_response_back });
      outbound.outcomes = [cut];
      return call();
    });
    expect(await Promise.all(outcomes)).toEqual([
      { outcome: 'completed', message: 'The Action completed. Its response could not be read.' },
      { outcome: 'completed', message: 'The Action completed.' },
    ]);
  });
});

describe('the response for the assistant', () => {
  const respond = (text: string, map?: Record<string, string>) => toolResponse(text, map);
  const ORDER =
    '{"order":{"status":"sent","lines":[{"sku":"a"},{"sku":"b"}],"__proto__":{"x":1}},"total":1.5,"paid":true,"note":null,"tags":[]}';
  const DEEP = `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"status":"sent"}`;

  test.each<[string, object]>([
    [ORDER, { total: 1.5, paid: true, note: null }],
    // JSON.stringify writes only some thousand levels.
    [DEEP, { status: 'sent' }],
    ['[1,2]', {}],
    ['"text"', {}],
    ['null', {}],
  ])('without a map has the top-level strings, numbers, booleans and nulls (%#)', (text, told) => {
    expect(respond(text)).toEqual(told);
  });

  test.each([
    ['\\ud83d', '\ufffd'],
    ['\\uD83D…', '\ufffd…'],
    ['\\ude00\\ud83d', '\ufffd\ufffd'],
    ['\\ud83d\\ud83d\\ude00', '\ufffd😀'],
    ['\\ud83d\\u0041', '\ufffdA'],
    ['\\ud83d\\ude00 😀', '😀 😀'],
    ['\\\\ud83d', '\\ud83d'],
    ['\\\\\\ud83d', '\\\ufffd'],
  ])('has no half of a character, which model APIs refuse: %p is %p', (written, told) => {
    const text = `{"a":"${written}","in":{"${written}":["${written}"]}}`;
    expect(respond(text)).toEqual({ a: told });
    expect(respond(text, { all: '$.in' })).toEqual({ all: { [told]: [told] } });
  });

  test('with a map has the value at each path that leads to one', () => {
    const map = { status: '$.order.status', second: '$.order.lines.1.sku', total: '$.total', note: '$.note' };
    const nowhere = { gone: '$.order.gone', deeper: '$.total.x' };
    expect(respond(ORDER, { ...map, ...nowhere })).toEqual({ status: 'sent', second: 'b', total: 1.5, note: null });
    const inherited = {
      a: '$.constructor',
      b: '$.order.lines.length',
      c: '$.order.status.length',
      d: '$.order.toString',
    };
    expect(respond(ORDER, inherited)).toEqual({});
    expect(respond(DEEP, { status: '$.status', deep: '$.deep' })).toEqual({ status: 'sent' });
  });

  test('has one megabyte of mapped fields together, whichever value they name', () => {
    const text = JSON.stringify({ large: 'x'.repeat(900_000), small: 'y' });
    const map = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`n${index}`, '$.large']));
    expect(Object.keys(respond(text, { ...map, last: '$.small' }))).toEqual(['n0', 'last']);
  });

  test.each([
    ['', ''],
    ['x'.repeat(501), 'x'.repeat(500)],
    ['👩'.repeat(501), '👩'.repeat(500)],
  ])('that is not JSON has the first 500 characters (%#)', (text, told) => {
    expect([respond(text), respond(text, { a: '$.a' })]).toEqual([told, told]);
  });
});

describe('the list of tools', () => {
  const list = (tools: readonly AiAction[], assistant: Assistant | undefined = anAssistant()) =>
    listTools(
      { site_id: SITE_ID },
      {
        configuration: fakeConfiguration({
          toolsOf: async () => ({ actions: tools, unreadable: [] }),
          findAssistant: async () => assistant,
        }),
      },
      fakeInvocation(),
    );

  test('has their names, descriptions and parameters', async () => {
    const description = 'Finds an order by its number';
    expect(await list([anAiAction({ parameters: PARAMETERS }), anAiAction({ slug: 'plain' })])).toEqual([
      { name: 'look-up-an-order', description, input_schema: PARAMETERS },
      { name: 'plain', description, input_schema: { type: 'object', properties: {}, required: [] } },
    ]);
  });

  test('has only those parts of stored parameters that this code knows', async () => {
    const order = { ...PARAMETERS.properties.order, internal_note: 'not for a model' };
    const newer = { ...PARAMETERS, $defs: { note: 'for the admins' }, properties: { order } };
    expect(await list([anAiAction({ parameters: newer })])).toMatchObject([{ input_schema: PARAMETERS }]);
    expect(JSON.stringify(await list([anAiAction({ parameters: newer })]))).not.toContain('note');
  });

  test('names no required parameter and no allowed value twice, whatever is stored', async () => {
    const enumerated = { type: 'string' as const, enum: ['a', 'a', 'b'] };
    const repeated = {
      ...PARAMETERS,
      properties: { ...PARAMETERS.properties, enumerated },
      required: ['order', 'order'],
    };
    const [tool] = await list([anAiAction({ parameters: repeated })]);
    expect(tool?.input_schema.required).toEqual(['order']);
    expect(tool?.input_schema.properties.enumerated).toEqual({ type: 'string', enum: ['a', 'b'] });
  });

  test('of a strict mode requires all parameters, and lets an optional one be null', async () => {
    const context = {
      configuration: fakeConfiguration({
        toolsOf: async () => ({
          actions: [
            anAiAction({
              parameters: {
                ...PARAMETERS,
                properties: { ...PARAMETERS.properties, size: { type: 'string', enum: ['S', 'M'] } },
              },
            }),
          ],
          unreadable: [],
        }),
      }),
    };
    const [tool] = await listTools({ site_id: SITE_ID, strict: true }, context, fakeInvocation());
    expect(tool?.input_schema).toEqual({
      type: 'object',
      properties: {
        order: { type: 'string' },
        size: { anyOf: [{ type: 'string', enum: ['S', 'M'] }, { type: 'null' }] },
      },
      required: ['order', 'size'],
      additionalProperties: false,
    });
  });

  test('of an unknown assistant is refused; without tools, and while the organization is suspended, it is empty', async () => {
    const refusal = await refusalOf(
      listTools({ site_id: SITE_ID }, { configuration: fakeConfiguration() }, fakeInvocation()),
    );
    expect(refusal).toMatchObject({ code: 'assistant_not_found', field: 'site_id' });
    expect(await list([])).toEqual([]);
    expect(await list([anAiAction({ suspended: true })])).toEqual([]);
  });

  test('leaves out what cannot be read, and reports it', async () => {
    const invocation = fakeInvocation();
    const unreadable = [{ action_id: 'act_x', cause: new Error('x') }];
    const configuration = fakeConfiguration({ toolsOf: async () => ({ actions: [anAiAction()], unreadable }) });
    expect(await listTools({ site_id: SITE_ID }, { configuration }, invocation)).toHaveLength(1);
    expect(invocation.facts).toEqual([{ kind: 'action_unreadable', ...unreadable[0] }]);
  });
});
