import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localLog } from '../../../cli/connection.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

describe('trace', () => {
  const GATEWAY = 'Fx1abcDEFGhEPQw=';
  const [FUNCTION, OTHER_FUNCTION] = ['11111111-2222-4333-8444-555555555555', '99999999-2222-4333-8444-555555555555'];
  const SUBMISSION = '22222222-2222-4333-8444-555555555555';
  const EVENT = '33333333-2222-4333-8444-555555555555';
  const access = { request_id: GATEWAY, status: '502', function_request_id: FUNCTION };
  const unanswered = { request_id: 'Other=', status: '429', function_request_id: '-' };
  const ofRequest = { api_request_id: GATEWAY, function_request_id: FUNCTION };
  const attempted = { ...ofRequest, message: 'Attempted', action_id: 'act_f', reference: SUBMISSION };
  const forwarded = { ...ofRequest, message: 'Forwarded a form submission', submission_id: SUBMISSION };
  const refused = { ...ofRequest, message: 'Refused', status: 502 };
  const delivered = { function_request_id: OTHER_FUNCTION, message: 'Attempted', action_id: 'act_e', reference: EVENT };
  const neighbour = { ...delivered, reference: 'another-event' };
  const LINES: Readonly<Record<string, readonly object[]>> = {
    api: [access, unanswered],
    'form-submit': [attempted, forwarded, refused],
    dispatcher: [delivered, neighbour],
  };
  const SUBMITTED = [access, attempted, forwarded, refused];

  test.each<[string, string, readonly object[], string?]>([
    ["API Gateway's request", GATEWAY, SUBMITTED, `act_f ${SUBMISSION}`],
    ["the function's request", FUNCTION, SUBMITTED, `act_f ${SUBMISSION}`],
    ['a submission', SUBMISSION, SUBMITTED, `act_f ${SUBMISSION}`],
    ['a request that reached no function', 'Other=', [unanswered]],
    ['an event', EVENT, [delivered], `act_e ${EVENT}`],
    ['an invocation for messages', OTHER_FUNCTION, [delivered, neighbour], `act_e ${EVENT}`],
    ['nothing', 'unknown', []],
  ])('finds by the id of %s its lines in all logs', async (_, id, lines, record) => {
    const log: typeof operator.deployment.logLines = async function* (name, { searchedText = '' }) {
      for (const [index, line] of (LINES[name] ?? []).entries()) {
        const text = JSON.stringify(line);
        if (text.includes(searchedText))
          yield { time: `2026-01-01T00:00:0${name === 'api' ? 0 : index + 1}.000Z`, text };
      }
    };
    operator.deployment = { ...operator.deployment, logLines: log };
    operator.whileWaiting = () => true;
    const { out, err } = await operator.run('trace', id, '--since', '2026-01-01T00:00:00Z');
    expect(out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line.replace(/^\S+ {2}/, ''))]))).toEqual(
      lines,
    );
    expect(err).toContain(
      lines.length === 0 ? `No line has ${id}` : record === undefined ? '' : `deliveries ${record}`,
    );
  });
});

describe('doctor', () => {
  test('accepts an account that has everything', async () => {
    const { code, out, err } = await operator.run('doctor', '--region', 'eu-west-1', '--stack', 'Chat');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('stack Chat');
    expect(out).toMatch(/events per second +18750 .*\n.*PutEvents per second +10000 /);
    expect(operator.targets).toEqual([{ region: 'eu-west-1', stack: 'Chat' }]);
  });

  test('finds a bootstrap under another name', async () => {
    await operator.run('doctor');
    operator.account = { ...operator.account, toolkit: undefined };
    const { out } = await operator.run('doctor', '--toolkit-stack-name', 'CDKToolkit-team');
    expect(operator.toolkits).toEqual(['CDKToolkit', 'CDKToolkit-team']);
    expect(out).toContain('Run npx cdk bootstrap --toolkit-stack-name CDKToolkit-team in eu-west-1');
  });

  const LOAD = ['--deliveries-per-second'];
  const LARGE = { concurrency: 10_000, tableWriteUnits: 100_000 };
  test.each([
    [{ concurrency: 10 }, [], 'concurrent executions', 'Deploy with -c accountConcurrency=10'],
    [{ concurrency: undefined }, [], 'concurrent executions', 'Allow lambda:GetAccountSettings'],
    [{ concurrency: 1000 }, [...LOAD, '10000'], 'concurrent executions', 'a second need more: request 1100 from AWS'],
    [{ tableWriteUnits: 10_000 }, [], 'write units of a table', 'Enough for 3333 deliveries a second'],
    [{ tableWriteUnits: undefined }, [], 'write units of a table', 'Allow dynamodb:DescribeLimits'],
    [{ ...LARGE, tableWriteUnits: 29_999 }, [...LOAD, '10000'], 'write units of a table', 'Enough for 9999 deliveries'],
    [{ toolkit: undefined }, [], 'cdk bootstrap', 'Run npx cdk bootstrap in eu-west-1'],
    [{ toolkit: 'ROLLBACK_COMPLETE' as const }, [], 'cdk bootstrap', 'Run npx cdk bootstrap in eu-west-1'],
    [{ stack: 'ROLLBACK_COMPLETE' as const }, [], 'stack VaWave', 'Clean up as described in docs/deploying.md'],
    [{ region: 'cn-north-1' }, [], 'region', 'Choose another region'],
    [{ ...LARGE, region: 'eu-west-1' }, [...LOAD, '19000'], 'events per second', '18750 '],
    [{ ...LARGE, region: 'eu-south-2' }, [...LOAD, '4600'], 'events per second', '4500 '],
    [{ ...LARGE, region: 'ap-southeast-2' }, [...LOAD, '2300'], 'events per second', '2250 '],
    [{ ...LARGE, region: 'eu-north-1' }, [...LOAD, '1200'], 'events per second', '1100 '],
    [{ ...LARGE, region: 'eu-south-1' }, [...LOAD, '800'], 'events per second', '750 '],
  ])('for %j and the load %j it reports that %s is missing', async (facts, words, check, advice) => {
    operator.account = { ...operator.account, version: '0.1.0+4fc0cfb8', ...facts };
    const { code, out, err } = await operator.run('doctor', ...words);
    expect([code, err]).toEqual([2, `To do first: ${check}\n`]);
    expect(out).toContain(advice);
    expect(out).toContain(', 0.1.0+4fc0cfb8');
    const examined = JSON.parse((await operator.run('doctor', ...words, '--json')).out);
    expect(examined.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([expect.objectContaining({ check })]);
  });
});

test('warm raises what a table takes at once, never lowers it, and calls ready only what is raised already', async () => {
  const warm = (...words: string[]) => operator.run('warm', '--deliveries-per-second', '10000', '--yes', ...words);
  const tables = [
    { table: 'configuration', reads: 20_000, writes: 4000 },
    { table: 'counters', reads: 12_000, writes: 20_000 },
    { table: 'delivery_log', reads: 12_000, writes: 50_000 },
  ];
  const areReady = (...ready: boolean[]) => tables.map((one, at) => ({ ...one, ready: ready[at] }));
  expect(JSON.parse((await warm('--json')).out)).toEqual(areReady(false, false, true));
  // DynamoDB refuses a change of a table that it is changing.
  expect(JSON.parse((await warm('--json')).out)).toEqual(areReady(false, false, true));
  const { out, err } = await warm();
  expect([out.match(/being raised/g)?.length, err]).toEqual([2, expect.stringContaining('Run the command again')]);
  operator.endTableUpdates();
  expect(JSON.parse((await warm('--json')).out)).toEqual(areReady(true, true, true));
  expect((await warm()).err).toBe('');
});

describe('logs', () => {
  test('prints the lines of the log without control characters, and selects them by time and text', async () => {
    operator.logLines = [{ time: '2026-01-01T00:00:00.000Z', text: '{"message":"comes\u001b[2J\u202eback"}' }];
    expect(await operator.run('logs', 'dispatcher', '--since', '30m', '--containing', 'comes back')).toEqual({
      code: 0,
      out: '{"message":"comes\\u001b[2J\\u202eback"}\n',
      err: '',
    });
    const since = new Date(operator.clock.now().getTime() - 1_800_000);
    expect(operator.logQueries).toEqual([{ name: 'dispatcher', since, searchedText: 'comes back' }]);
    expect(JSON.parse((await operator.run('logs', 'api', '--json')).out)).toEqual(operator.logLines[0]);
    operator.logLines = [];
    const none = { code: 0, out: '', err: 'No matching lines in this time\n' };
    expect(await operator.run('logs', 'api')).toEqual(none);
  });

  test.each([
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
    ['2026-03-04T06:06:00+01:00', '2026-03-04T05:06:00.000Z'],
  ])('shows the lines since %s too, as the other commands take a time', async (since, time) => {
    await operator.run('logs', 'dispatcher', '--since', since);
    expect(operator.logQueries).toEqual([{ name: 'dispatcher', since: new Date(time) }]);
  });

  test.each([[['dispatchers']], [['dispatcher', '--since', 'yesterday']], [['dispatcher', '--since', '0m']]])(
    'refuses %j',
    async (words) => {
      expect(await operator.run('logs', ...words)).toMatchObject({ code: 2, out: '' });
    },
  );

  test('of the one-machine service are files, found by the name of the log group', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'logs'));
    const line = (timestamp: string, message: string) => JSON.stringify({ timestamp, message });
    const old = [line('2026-01-01T00:00:00.000Z', 'old'), 'not JSON either'];
    const recent = [line('2026-01-02T00:00:00.000Z', 'new'), 'not JSON'];
    const lines = [...old, ...recent, ''];
    writeFileSync(join(folder, 'logs', 'DeliveriesDispatcherFunction12345678.log'), lines.join('\n'));
    const read = async (group: string, searchedText?: string) => {
      const query = { since: new Date('2026-01-01T12:00:00Z'), searchedText };
      const texts: string[] = [];
      for await (const { text } of localLog(folder, group, query)) texts.push(text);
      return texts;
    };
    expect(await read('VaWave-DeliveriesDispatcherLogABCDEF01')).toEqual(recent);
    expect(await read('VaWave-DeliveriesDispatcherLogABCDEF01', 'new')).toEqual([recent[0]]);
    expect(await read('VaWave-DeliveriesEventRouterLogABCDEF01')).toEqual([]);
  });
});

describe('tool and usage', () => {
  const CALL = ['tool', 'call', 'site_a', 'order-status', '--conversation', 'c-1', '--arguments'];
  const REPORT = ['usage', 'report', '--input-tokens', '120', '--output-tokens', '48', '--token'];

  test('a call is that of the assistant runtime', async () => {
    operator.runtimeAnswer = { outcome: 'completed', message: 'The Action completed.' };
    expect(await operator.json(...CALL, '{"order":7}')).toEqual(operator.runtimeAnswer);
    const call = { site_id: 'site_a', conversation_id: 'c-1', tool: 'order-status', arguments_json: '{"order":7}' };
    expect(operator.runtimeInputs).toEqual([{ operation: 'callTool', ...call }]);
    for (const text of ['[1]', '7', '{']) {
      expect(await operator.run(...CALL, text)).toMatchObject({ code: 2, err: expect.stringContaining('arguments: ') });
    }
    expect(operator.runtimeInputs).toHaveLength(1);
  });

  test('a list shows the parameters of each tool', async () => {
    const properties = { order: { type: 'integer' }, note: { type: 'string' } };
    const input_schema = { type: 'object', properties, required: ['order'] };
    operator.runtimeAnswer = { tools: [{ name: 'order-status', description: 'Finds an order', input_schema }] };
    const { out } = await operator.run('tool', 'list', 'site_a');
    expect(out).toMatch(
      /^TOOL +PARAMETERS +DESCRIPTION\norder-status +order: integer, note\?: string +Finds an order\n$/,
    );
    expect(await operator.json('tool', 'list', 'site_a')).toEqual(operator.runtimeAnswer);
  });

  test('a usage report adds up the tokens, and never prints its session token', async () => {
    operator.files = { 'token.txt': 'a.b.c\n' };
    operator.runtimeAnswer = { should_continue: true, reported: true };
    expect(await operator.json(...REPORT, '@token.txt')).toEqual(operator.runtimeAnswer);
    const usage = { input_tokens: 120, output_tokens: 48, total_tokens: 168, tts_chars: 0, tts_provider: null };
    expect(operator.runtimeInputs).toEqual([{ session_token: 'a.b.c', usage }]);
    operator.runtimeAnswer = new Refusal('session_token_invalid');
    const { code, err } = await operator.run(...REPORT, 'a.b.c');
    expect([code, err]).toEqual([2, expect.stringContaining('Invalid or expired session token')]);
    expect(err).not.toContain('a.b.c');
  });
});

describe('redrive', () => {
  const envelope = { id: 'event-1', event: 'message.sent', timestamp: 't', data: 'private', site_id: 's', org_id: 'o' };
  const DELIVERY = { version: 1, action_id: 'act_1', attempt: 2, envelope };
  const EVENT = { id: 'event-2', 'detail-type': 'sms.sent', time: 't', detail: { org_id: 'o', data: 'private' } };

  test('a dry run prints events and ids without payloads, and moves nothing', async () => {
    const { deliveries, events } = operator.deadLetters;
    deliveries.add('message-1', DELIVERY);
    deliveries.add('message-2', 'private, not JSON');
    deliveries.add('message-3', { ...DELIVERY, version: 9, envelope: 'private' });
    events.add('message-4', EVENT);
    const sent_at = '2026-03-04T05:06:07.250Z';
    const common = { sent_at, version: 1, org_id: 'o' };
    const of = { event: 'message.sent', event_id: 'event-1', action_id: 'act_1', attempt: 2 };
    expect(await operator.json('redrive', 'deliveries', '--dry-run')).toEqual([
      { message_id: 'message-1', ...common, ...of, bytes: JSON.stringify(DELIVERY).length },
      expect.objectContaining({ message_id: 'message-2', version: null, event: null, action_id: null }),
      expect.objectContaining({ message_id: 'message-3', version: 9, event: null, action_id: 'act_1' }),
    ]);
    const { out, err } = await operator.run('redrive', 'deliveries', '--dry-run', '--limit', '2');
    expect(out).not.toContain('private');
    expect(out.split('\n')[1]).toMatch(/message\.sent +event-1 +o +act_1 +2 +1 +\d+ +message-1$/);
    expect(out).toMatch(/unreadable/);
    expect(err).toBe('About 3 dead letters of deliveries, 2 shown; nothing was moved\n');
    const event = { event: 'sms.sent', event_id: 'event-2', bytes: JSON.stringify(EVENT).length };
    expect(await operator.json('redrive', 'events', '--dry-run')).toEqual([
      { message_id: 'message-4', ...common, ...event },
    ]);
    expect([...deliveries.made, ...events.made]).toEqual([]);
    expect(deliveries.hidden.size + events.hidden.size).toBe(0);
  });

  test('begins a move of SQS at a rate, shows it, refuses a second one, and cancels it', async () => {
    const { deliveries } = operator.deadLetters;
    for (const id of ['message-1', 'message-2']) deliveries.add(id, DELIVERY);
    deliveries.isSlow = true;
    expect(await operator.run('redrive', 'deliveries', '--status')).toMatchObject({
      out: 'No redrive of deliveries\n',
    });
    const begun = { queue: 'deliveries', letters: 2, rate: 10 };
    expect(await operator.json('redrive', 'deliveries', '--yes', '--rate', '10')).toEqual(begun);
    expect(await operator.json('redrive', 'deliveries', '--status')).toEqual([
      { started_at: expect.any(String), status: 'RUNNING', rate: 10, moved_letters: 0, letters: 2, failure: null },
    ]);
    const second = await operator.run('redrive', 'deliveries', '--yes');
    expect(second).toMatchObject({ code: 2, err: expect.stringContaining('--cancel ends it') });
    expect(await operator.json('redrive', 'deliveries', '--cancel')).toEqual({ queue: 'deliveries', cancelled: true });
    expect(await operator.json('redrive', 'deliveries', '--cancel')).toEqual({ queue: 'deliveries', cancelled: false });
    expect((await operator.run('redrive', 'deliveries', '--status')).out).toMatch(/CANCELLED +10 +0 +2/);
  });

  test.each(['0', '501', '1.5'])('refuses the rate %s', async (rate) => {
    operator.deadLetters.events.add('message-1', EVENT);
    expect((await operator.run('redrive', 'events', '--yes', '--rate', rate)).code).toBe(2);
    expect(operator.deadLetters.events.waiting).toHaveLength(1);
  });

  test('asks at a terminal with the number, also begins where the number is 0, and refuses an unknown queue', async () => {
    operator.terminal = true;
    operator.deadLetters.events.add('message-1', EVENT);
    expect(await operator.run('redrive', 'events')).toMatchObject({ code: 5, err: 'Nothing was changed\n' });
    expect(operator.questions).toEqual(['Move about 1 dead letter back to events, 50 a second? [y/N] ']);
    expect(await operator.json('redrive', 'events', '--yes')).toEqual({ queue: 'events', letters: 1, rate: 50 });
    expect(await operator.json('redrive', 'events', '--yes')).toEqual({ queue: 'events', letters: 0, rate: 50 });
    expect(operator.deadLetters.events.made).toMatchObject([{ letters: 0 }, { letters: 1 }]);
    expect((await operator.run('redrive', 'events', '--dry-run')).out).toBe('No dead letters of events\n');
    expect((await operator.run('redrive', 'all')).code).toBe(2);
  });
});
