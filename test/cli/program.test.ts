import type { Command } from 'commander';
import { commandLine } from '../../cli/program.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}
const COMMANDS = leaves(await commandLine(async () => {}));

test.each(COMMANDS)('%s has help with an example', async (path) => {
  const { code, out, err } = await operator.run(...path.split(' '), '--help');
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`Usage: va-wave ${path}`);
  expect(out).toMatch(/Examples?:\n {2}va-wave /);
  expect(out).toContain('--json');
  expect(out).toContain('--local');
});

test('the help lists the exit codes', async () => {
  const { code, out } = await operator.run('--help');
  expect(code).toBe(0);
  expect(out).toContain('3  not found');
});

test.each([
  [['nope'], "unknown command 'nope'"],
  [['org', 'nope'], "unknown command 'nope'"],
  [['deliverys', 'act_x', '--limit', '1'], '(Did you mean deliveries?)'],
  [['action', 'create', '--org', 'org_x'], 'An Action belongs to an assistant: write --site <site_id>'],
  [['org', 'list', '--nope'], "unknown option '--nope'"],
  [['org', 'list', 'extra'], 'too many arguments'],
  [['org', 'create'], "required option '--name <name>' not specified"],
  [['assistant', 'show'], "missing required argument 'site_id'"],
])('reports %j as a wrong command line', async (words, message) => {
  const ended = await operator.run(...words);
  expect([ended.code, ended.out, ended.err]).toEqual([2, '', expect.stringContaining(message)]);
  const json = await operator.run(...words, '--json');
  expect([json.code, json.out]).toEqual([2, '']);
  expect(JSON.parse(json.err)).toEqual({ error: expect.stringContaining(message) });
  expect(operator.targets).toEqual([]);
});

test.each([
  [[], {}, {}],
  [['--local'], {}, { local: '' }],
  [['--local', '/tmp/ready.json'], {}, { local: '/tmp/ready.json' }],
  [['--local=ready'], {}, { local: 'ready' }],
  [['--stack', 'Other', '--region', 'eu-west-1'], {}, { stack: 'Other', region: 'eu-west-1' }],
  [[], { VA_WAVE_STACK: 'Mine' }, { stack: 'Mine' }],
  [['--stack', 'Other'], { VA_WAVE_STACK: 'Mine' }, { stack: 'Other' }],
  [['--local'], { VA_WAVE_STACK: 'Mine' }, { local: '' }],
  [[], { VA_WAVE_LOCAL: '/tmp/ready.json' }, { local: '/tmp/ready.json' }],
  [['--stack', 'Other'], { VA_WAVE_LOCAL: '/tmp/ready.json' }, { stack: 'Other' }],
])('%j with %j selects %j, before and after the command', async (words, environment, target) => {
  operator.environment = environment;
  await operator.run(...words, 'org', 'list');
  await operator.run('org', 'list', ...words);
  await operator.run('org', ...words, 'list');
  expect(operator.targets).toEqual([target, target, target]);
});

test.each([
  [new Error('boom'), 1, 'boom'],
  [Object.assign(new Error('x'), { name: 'CredentialsProviderError' }), 1, 'No AWS credentials'],
  [new Error('Region is missing'), 1, 'No AWS region'],
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 1, 'does not answer (ECONNREFUSED)'],
  [Object.assign(new Error('x'), { name: 'ExpiredTokenException' }), 1, 'have expired'],
  [Object.assign(new Error('x'), { name: 'UnrecognizedClientException' }), 1, 'does not know these AWS credentials'],
  [Object.assign(new Error('who?'), { name: 'AccessDeniedException' }), 1, 'AccessDeniedException: who?'],
  [new Refusal('stack_not_found', { message: 'stack: there is no stack X' }), 3, 'stack: there is no stack X'],
  [new Refusal('stale_version', { message: 'version: changed' }), 2, 'version: changed'],
  [new Refusal('rate_limit_exceeded'), 2, 'Rate limit exceeded'],
])('%s ends with exit code %i', async (error, code, message) => {
  operator.connectFails = error;
  const text = await operator.run('org', 'list');
  expect([text.code, text.out, text.err]).toEqual([code, '', expect.stringContaining(message)]);
  expect(text.err.split('\n')).toHaveLength(2);
  const json = await operator.run('org', 'list', '--json');
  expect([json.code, json.out]).toEqual([code, '']);
  expect(JSON.parse(json.err)).toEqual({ error: expect.stringContaining(message) });
});

test('stored names cannot control the terminal, and are complete in JSON', async () => {
  const name = 'a\u001b[31mb\u0007\u009bc\u202ed\ne\u00ad\u3164\u{e0041}';
  await operator.json('org', 'create', '--name', name);
  const { out } = await operator.run('org', 'list');
  expect(out).toContain('a\\u001b[31mb\\u0007\\u009bc\\u202ed\\u000ae\\u00ad\\u3164\\udb40\\udc41');
  const json = await operator.run('org', 'list', '--json');
  for (const unsafe of ['\u001b', '\u009b', '\u202e', '\u00ad', '\u3164', '\u{e0041}'])
    expect(json.out).not.toContain(unsafe);
  expect(JSON.parse(json.out)[0].name).toBe(name);
});

test('an error that repeats the input cannot control the terminal', async () => {
  const { err } = await operator.run('org', 'update', 'org_\u001b[2J', '--plan', 'free');
  expect(err).toBe('org_id: no organization org_\\u001b[2J\n');
});
