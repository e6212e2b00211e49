import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { functionIds, functionOf } from '../acceptance/local-service.ts';
import { commandLineOf } from '../cli/captured-run.ts';
import { system } from './system.ts';

/** Tests that a number leaves the service as it was written, by every way on which somebody else's JSON goes through the deployed bundles. */

const NUMBERS = [
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '2512292042121000001'],
  ...['12345678901234567890', '1e400', '1e-400', '-0', '1.0', '1E+2', '0.100000000000000000000000000001', '7'],
];
const LONG = '9'.repeat(5000);
const members = (numbers: readonly string[]) => numbers.map((number, index) => `"n${index}":${number}`).join(',');
const ALL = members([...NUMBERS, LONG]);
/** PutEvents takes integers of 64 bits. */
const EVENT_NUMBERS = members(NUMBERS.filter((number) => number !== '12345678901234567890'));
const INTEGERS = NUMBERS.filter((number) => !/e-|0\.1/.test(number));

const bodies = (path: string) => system.receiver.to(path).map(({ body }) => body.toString());
const cli = commandLineOf(system.cloud);
const invoke = async (construct: string, input: object) => {
  const { payload } = await system.cloud.invoke(functionOf(functionIds(await serviceAssembly()), construct), input);
  return payload;
};
const post = (path: string, headers: Record<string, string>, body: string) =>
  fetch(`${system.service.baseUrl}${path}`, { method: 'POST', headers, body });

async function toolAt(path: string, words: readonly string[], names: readonly string[], siteId: string) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'number' }]));
  const description = ['--description', 'Looks numbers up', '--url', system.receiver.url(path)];
  const parameters = ['--parameters', JSON.stringify({ properties }), '--feed-back'];
  const [trigger, name] = [
    ['--trigger', 'AI-decided'],
    ['--name', path.slice(1)],
  ];
  await cli.json('action', 'create', '--site', siteId, ...trigger, ...name, ...description, ...parameters, ...words);
  return (text: string) =>
    invoke('AiAction', {
      operation: 'callTool',
      site_id: siteId,
      conversation_id: 'numbers',
      tool: path.slice(1),
      arguments_json: text,
    });
}
const names = [...NUMBERS, LONG].map((_, index) => `n${index}`);

test('the data of an event, in the request and in the log', async () => {
  const { orgId, siteId } = await system.organization();
  const action = await system.eventAction(siteId, '/numbers-event', ['contact.created']);
  await cli.json('event', 'put', 'contact.created', '--org', orgId, '--data', `{${EVENT_NUMBERS}}`);
  const [record] = await system.finished(action, 1);
  expect(record?.payload).toContain(`"data":{${EVENT_NUMBERS}}`);
  expect(bodies('/numbers-event')).toEqual([record?.payload]);
});

test('the arguments of a tool call, and the response that is fed back', async () => {
  const { siteId } = await system.organization();
  const call = await toolAt('/numbers-tool', [], names, siteId);
  system.receiver.answer('/numbers-tool', [200], ({ body }) => body.toString());
  expect(await call(`{ ${ALL.replaceAll(':', ' : ')} }`)).toContain(`"response":{${ALL}}`);
  expect(bodies('/numbers-tool')).toEqual([`{${ALL}}`]);

  const map = names.flatMap((name) => ['--response-map', `${name}=$.list.0.${name}`]);
  const mapped = await toolAt('/numbers-mapped', map, names, siteId);
  system.receiver.answer('/numbers-mapped', [200], `{"list":[{${ALL}}]}`);
  expect(await mapped('{}')).toContain(`"response":{${ALL}}`);
});

test('a number of an argument object that Lambda may have rounded is refused by name', async () => {
  const { siteId } = await system.organization();
  await toolAt('/numbers-object', [], ['order'], siteId);
  const call = { operation: 'callTool', site_id: siteId, conversation_id: 'c', tool: 'numbers-object' };
  for (const order of [2 ** 53, -(2 ** 53), 2 ** 61, 1e300]) {
    const refused = JSON.parse(await invoke('AiAction', { ...call, arguments: { order } }));
    expect(refused).toMatchObject({
      outcome: 'invalid_arguments',
      message: expect.stringContaining('order: must be within'),
    });
  }
  expect(bodies('/numbers-object')).toEqual([]);
  expect(await invoke('AiAction', { ...call, arguments: { order: 2 ** 53 - 1 } })).toContain('completed');
});

test('type and enum of a parameter compare the number, however it is written', async () => {
  const { siteId } = await system.organization();
  const call = await toolAt(
    '/numbers-enum',
    ['--parameters', `{"properties":{"n":{"type":"integer","enum":[${INTEGERS.join(',')},12e2]}}}`],
    [],
    siteId,
  );
  const answers = ['2512292042121000001', '2512292042121000001.0', '1200', '1e2', '2512292042121000000', '1.5'];
  const outcomes = [];
  for (const text of answers) outcomes.push(JSON.parse(await call(`{"n":${text}}`)).outcome);
  expect(outcomes).toEqual([...Array(4).fill('completed'), ...Array(2).fill('invalid_arguments')]);
  expect(bodies('/numbers-enum')).toEqual(answers.slice(0, 4).map((text) => `{"n":${text}}`));
  const listed = await invoke('AiAction', { operation: 'listTools', site_id: siteId });
  expect(listed).toContain(`One of [${INTEGERS.join(',')},12e2]`);
});

test('the values of a form, alone and in a list', async () => {
  const { siteId } = await system.organization();
  await cli.json('assistant', 'update', siteId, '--allowed-domain', 'a.example');
  const form = ['--trigger', 'Form', '--name', 'Numbers', '--field', 'n0:Number:Number'];
  await cli.json('action', 'create', '--site', siteId, ...form, '--url', system.receiver.url('/numbers-form'));
  const headers = { 'x-site-id': siteId, origin: 'https://a.example' };
  const init = await post('/api/widget/init', headers, '{}');
  const { conversation_id } = JSON.parse(await init.text());
  const values = `{${ALL},"list":[${NUMBERS.join(',')}]}`;
  const body = `{"conversation_id":"${conversation_id}","values":${values}}`;
  const submitted = await post(`/api/widgets/sites/${siteId}/forms/numbers/submit`, headers, body);
  expect(submitted.status).toBe(200);
  const texts = JSON.stringify(NUMBERS);
  expect(bodies('/numbers-form')[0]).toContain(`"values":{${ALL},"list":${texts}}`);
});

test('the context of a session, in its token', async () => {
  const { orgId } = await system.organization();
  const settings = { domain: 'a.example', hourlyRateLimit: 1000, mode: 'Session Signed' } as const;
  const siteId = await system.operator.createAssistant(orgId, settings);
  const headers = { 'x-server-key': await system.operator.generateServerSecret(siteId) };
  const created = await post(
    '/api/widget/session/create',
    headers,
    `{"ttl_minutes": 1e1, "context": {${members(NUMBERS)}}}`,
  );
  const { session_token, expires_in_seconds } = JSON.parse(await created.text());
  expect(expires_in_seconds).toBe(600);
  const payload = Buffer.from(session_token.split('.')[1], 'base64url').toString();
  expect(payload).toContain(`"context":{${members(NUMBERS)}}`);
  const init = await post('/api/widget/init', { 'x-session-token': session_token, origin: 'https://a.example' }, '{}');
  expect(init.status).toBe(200);

  const long = await post('/api/widget/session/create', headers, `{"context": {"n": ${LONG}}}`);
  expect([long.status, await long.text()]).toEqual([400, expect.stringContaining('"field":"context"')]);
});

test('a person is found by a number of 19 digits', async () => {
  const { orgId, siteId } = await system.organization();
  const action = await system.eventAction(siteId, '/numbers-person', ['contact.created']);
  await cli.json('event', 'put', 'contact.created', '--org', orgId, '--data', '{"user": 2512292042121000001}');
  await system.finished(action, 1);
  const found = async (id: string) => (await cli.run('export', '--org', orgId, '--user', id)).out;
  await until(async () => (await found('2512292042121000001')).includes('contact.created'));
  expect(await found('2512292042121000000')).not.toContain('contact.created');
});
