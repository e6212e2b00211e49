import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { commandLine } from '../../../cli/program.ts';
import { wordLike } from '../../../cli/values.ts';
import { Refusal } from '../../../src/domain/refusal.ts';

import { attempt, FakeOperator, REFUSED } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

function leaves(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}
const program = await commandLine();
const COMMANDS = leaves(program);

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
  [['action', 'create', '--site', '--trigger', 'Event'], "option '--site <site_id>' argument missing"],
  [['event', 'put', 'contact.created', '--org', '--data', '{}'], "option '--org <org_id>' argument missing"],
  [['org', 'create', '--name', '--stack', 'VaWave'], "option '--name <name>' argument missing"],
  [['org', 'create', '--name', '--json'], "option '--name <name>' argument missing"],
  [['org', 'create', '--name', '--stack=VaWave'], "option '--name <name>' argument missing"],
  [['org', 'create', '--name', '--help'], "option '--name <name>' argument missing"],
  [['action', 'create', '--site', '--org', 'org_x'], "option '--site <site_id>' argument missing"],
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
  [['org', 'create', '--name=--sale']],
  [['org', 'create', '--name', '--sale']],
  [['logs', 'dispatcher', '--containing', '--insecure']],
  // An option of another command.
  [['logs', 'dispatcher', '--containing', '--name']],
])('takes the last word of %j as a value', async (words) => {
  const { code, err } = await operator.run(...words);
  expect([code, err]).toEqual([0, expect.not.stringContaining('argument missing')]);
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
  [['--local'], { VA_WAVE_LOCAL: '/tmp/ready.json' }, { local: '/tmp/ready.json' }],
  [['--local=other.json'], { VA_WAVE_LOCAL: '/tmp/ready.json' }, { local: 'other.json' }],
  [[], { VA_WAVE_LOCAL: '/tmp/ready.json' }, { local: '/tmp/ready.json' }],
  [['--stack', 'Other'], { VA_WAVE_LOCAL: '/tmp/ready.json' }, { stack: 'Other' }],
  [
    ['--configuration-table', 'restored'],
    { VA_WAVE_LOCAL: 'a.json' },
    { local: 'a.json', configurationTable: 'restored' },
  ],
])('%j with %j selects %j, before and after the command', async (words, environment, target) => {
  operator.environment = environment;
  await operator.run(...words, 'org', 'list');
  await operator.run('org', 'list', ...words);
  await operator.run('org', ...words, 'list');
  expect(operator.targets).toEqual([target, target, target]);
});

test.each([
  [['--local']],
  [['--local=ready']],
  [['--local', "/tmp/It's a Zoë's folder/ready.json", '--conversations-table', 'a; echo b']],
  [['--stack', 'Platform/Chat', '--region', 'eu-west-1']],
])('prints a command that a shell runs on the deployment of %j', async (words) => {
  const { out } = await operator.run('org', 'list', ...words);
  const hint = out.replace('No organizations yet: npx --no-install va-wave org create --name … ', '');
  expect(hint).not.toBe(out);
  const pasted = execFileSync('sh', ['-c', `for word in ${hint.trimEnd()}; do echo "$word"; done`], {
    encoding: 'utf8',
  });
  await operator.run('org', 'list', ...pasted.trimEnd().split('\n'));
  const [given, again] = operator.targets;
  expect(again).toEqual(given);
});

test.each([
  [new Error('boom'), 1, 'boom'],
  [Object.assign(new Error('x'), { name: 'CredentialsProviderError' }), 1, 'No AWS credentials'],
  [
    Object.assign(new Error('The SSO session associated with this profile has expired.'), {
      name: 'CredentialsProviderError',
    }),
    1,
    'Your login to AWS has ended: log in again',
  ],
  [new Error('Region is missing'), 1, 'No AWS region'],
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 1, 'does not answer (ECONNREFUSED)'],
  [Object.assign(new Error('x'), { name: 'ExpiredTokenException' }), 1, 'have expired'],
  [Object.assign(new Error('x'), { name: 'UnrecognizedClientException' }), 1, 'does not know these AWS credentials'],
  [Object.assign(new Error('who?'), { name: 'AccessDeniedException' }), 1, 'AccessDeniedException: who?'],
  [new Refusal('stack_not_found', { problem: 'there is no stack X' }), 3, 'stack: there is no stack X'],
  [new Refusal('stale_version', { problem: 'changed' }), 2, 'version: changed'],
])('%s ends with exit code %i', async (error, code, message) => {
  operator.connectFails = error;
  const text = await operator.run('org', 'list');
  expect([text.code, text.out, text.err]).toEqual([code, '', expect.stringContaining(message)]);
  expect(text.err.split('\n')).toHaveLength(2);
  const json = await operator.run('org', 'list', '--json');
  expect([json.code, json.out]).toEqual([code, '']);
  expect(JSON.parse(json.err)).toEqual({ error: expect.stringContaining(message) });
});

const HOSTILE = 'a\u001b[31mb\u0007\u009bc\u202ed\ne\u00ad\u3164\u{e0041}';
const ESCAPED = 'abc\\u200fde\\u00ad\\u3164\\udb40\\udc41';
/** The same without control characters and overrides of the direction, which no name may have. */
const STORED = 'abc\u200fde\u00ad\u3164\u{e0041}';
const UNSAFE = /(?!\n)[\p{Cc}\u00ad\u200f\u202e\u3164\u{e0041}]/u;

type Ids = { readonly action_id: string; readonly site_id: string; readonly org_id: string };

/** The words after each command, hostile where an operator can write any text. Other commands need the id of what they are about. */
const WORDS: Readonly<Record<string, (of: Ids) => readonly string[]>> = {
  'org create': () => ['--name', HOSTILE],
  'org list': () => [],
  'org quota': ({ org_id }) => [org_id, '--none'],
  'member add': ({ org_id }) => ['--org', org_id, '--email', `"${HOSTILE}"@example.com`],
  'member remove': ({ org_id }) => ['--org', org_id, '--email', HOSTILE],
  'member list': ({ org_id }) => ['--org', org_id],
  'assistant create': ({ org_id }) => ['--org', org_id, '--name', HOSTILE, '--domain', HOSTILE, '--rate-limit', '1'],
  'assistant escalation': ({ site_id }) => [site_id, '--topic', HOSTILE],
  'assistant form-limit': ({ site_id }) => [site_id, '--per-hour', '5'],
  'assistant list': ({ org_id }) => ['--org', org_id],
  'action create': ({ site_id }) => ['--site', site_id, '--trigger', HOSTILE, '--name', HOSTILE, '--url', HOSTILE],
  'action list': ({ site_id }) => ['--site', site_id],
  'event list': () => [],
  'event put': ({ org_id }) => [HOSTILE, '--org', org_id],
  'event trace': ({ org_id }) => ['event-1', '--org', org_id],
  'event replay': ({ action_id }) => ['event-1', action_id],
  'event replay-failed': ({ action_id }) => [action_id, '--since', '1d'],
  'tool call': ({ site_id }) => [site_id, HOSTILE, '--conversation', HOSTILE],
  'tool list': ({ site_id }) => [site_id],
  'usage report': () => ['--token', HOSTILE, '--input-tokens', '1', '--output-tokens', '1'],
  deliveries: ({ action_id }) => [action_id, 'event-1'],
  export: ({ org_id }) => ['--org', org_id, '--user', 'u-1'],
  erase: ({ org_id }) => ['--org', org_id, '--user', 'u-1'],
  redrive: () => ['deliveries'],
  warm: () => ['--deliveries-per-second', '10000'],
  logs: () => ['api'],
  trace: () => [HOSTILE],
  doctor: () => [],
};
const wordsOf = (path: string, ids: Ids): readonly string[] => {
  const [group = ''] = path.split(' ');
  const about = {
    org: [ids.org_id],
    assistant: [ids.site_id],
    secret: [ids.site_id],
    action: [ids.action_id],
    keys: [],
  };
  return [
    ...path.split(' '),
    ...(WORDS[path]?.(ids) ?? Object.entries(about).find(([name]) => name === group)?.[1] ?? []),
  ];
};

const ASKING = [
  ...['org suspend', 'org delete', 'assistant delete', 'action delete', 'secret regenerate'],
  ...['erase', 'redrive', 'warm'],
  ...['event replay', 'event replay-failed', 'keys reseal', 'keys rotate-origin', 'keys revoke'],
];

/** Creates an Action with what a command that asks would change. */
async function actionWithWork(): Promise<Ids> {
  const ids = await operator.action();
  await operator.json('assistant', 'update', ids.site_id, '--mode', 'session-signed');
  await operator.json('secret', 'generate', ids.site_id);
  operator.records = [attempt({ ...REFUSED, action_id: ids.action_id, attempt: 3 })];
  operator.attempts = operator.records;
  operator.whileWaiting = () => true;
  return ids;
}

test.each(ASKING)('%s changes nothing without a terminal and without --yes', async (path) => {
  const ids = await actionWithWork();
  const state = () => structuredClone(operator.store.items());
  const before = state();
  const { code, out, err } = await operator.run(...wordsOf(path, ids));
  expect([code, out]).toEqual([5, '']);
  expect(err).toMatch(/\? .*There is no terminal for the answer: use --yes\n$/);
  expect(state()).toEqual(before);
  expect([operator.sentDeliveries, operator.originSecrets, operator.sealingRing.ring.length]).toEqual([[], [], 1]);
});

const TESTED = {
  request: { method: 'POST', url: 'https://crm.example/', headers: {}, body: '{}' },
  ...{ at: '2026-03-04T05:06:07.250Z', retried: false, latency_ms: 1, response_excerpt: '' },
} as const;

/** The words of commands that refuse hostile ones, or need a change, so that they come as far as a question would. */
const ACCEPTED: Readonly<Record<string, (of: Ids & { readonly newSiteId: string }) => readonly string[]>> = {
  'org create': () => ['--name', 'Shop'],
  'org update': ({ org_id }) => [org_id, '--name', 'Shop'],
  'member add': ({ org_id }) => ['--org', org_id, '--email', 'bo@example.com'],
  'member remove': ({ org_id }) => ['--org', org_id, '--email', 'ada@example.com'],
  'assistant create': ({ org_id }) => [
    ...['--org', org_id, '--name', 'Shop', '--domain', 'shop.example', '--rate-limit', '1'],
  ],
  'assistant update': ({ site_id }) => [site_id, '--mode', 'Allowed Websites'],
  'assistant escalation': ({ site_id }) => [site_id, '--none'],
  'action create': ({ site_id }) => [
    ...['--site', site_id, '--trigger', 'Event', '--name', 'Tell the CRM', '--url', 'https://crm.example/'],
    ...['--event', 'conversation.started'],
  ],
  'action update': ({ action_id }) => [action_id, '--name', 'Shop'],
  'secret generate': ({ newSiteId }) => [newSiteId],
  'event put': ({ org_id }) => ['contact.created', '--org', org_id, '--data', '{}'],
};

test.each(COMMANDS.filter((path) => path !== 'receive' && !ASKING.includes(path)))('%s asks nothing', async (path) => {
  const ids = await actionWithWork();
  await operator.json('member', 'add', '--org', ids.org_id, '--email', 'ada@example.com');
  operator.testResult = { ...TESTED, success: true, status: 200, error: null };
  const accepted = ACCEPTED[path]?.({ ...ids, newSiteId: (await operator.assistant()).site_id });
  const { code, err } = await operator.run(...(accepted ? [...path.split(' '), ...accepted] : wordsOf(path, ids)));
  expect([code, err]).toEqual([0, expect.any(String)]);
});

describe('what customers have stored', () => {
  test.each(COMMANDS.filter((path) => path !== 'receive'))('does not reach the terminal by %s', async (path) => {
    const ids = await operator.action('--name', STORED);
    const { org_id, site_id, action_id } = ids;
    await operator.json('org', 'update', org_id, '--name', STORED);
    await operator.json('assistant', 'update', site_id, '--name', STORED, '--mode', 'session-signed');
    const error = { code: 'http_status', message: HOSTILE } as const;
    const texts = { payload: HOSTILE, response_excerpt: HOSTILE, trigger_ref: HOSTILE, error };
    operator.records = [attempt({ ...REFUSED, action_id, attempt: 3, ...texts })];
    operator.attempts = operator.records;
    operator.logLines = [{ time: HOSTILE, text: HOSTILE }];
    operator.runtimeAnswer = { tools: [{ name: HOSTILE, description: HOSTILE }], message: HOSTILE };
    operator.deadLetters.deliveries.add(HOSTILE, { action_id: HOSTILE });
    const request = { method: 'POST' as const, url: HOSTILE, headers: {}, body: HOSTILE };
    const result = { status: 503, latency_ms: 1, success: false, error, response_excerpt: HOSTILE };
    operator.testResult = { request, at: HOSTILE, retried: true, ...result };
    operator.account = { ...operator.account, version: HOSTILE };
    operator.whileWaiting = (pauses) => pauses < 9;
    const dry = ['redrive', 'event replay-failed', 'erase'].includes(path) ? [['--dry-run']] : [];
    for (const more of [...dry, ['--yes'], ['--yes', '--json']]) {
      const { out, err } = await operator.run(...wordsOf(path, ids), ...more);
      expect(out + err).not.toMatch(UNSAFE);
      // A refusal names what the operator has written: an option or an argument.
      const [, field] = /^\{"error":"(?!server_secret)([a-z_]+)[.\w]*: /.exec(err) ?? [];
      if (field !== undefined) expect((await operator.run(...path.split(' '), '--help')).out).toContain(`<${field}>`);
      // Its words are above: a wrong command line shows nothing that is stored.
      expect(err).not.toMatch(/\(--help shows the options\)|required option|missing required argument/);
    }
  });

  test.each(COMMANDS.filter((path) => path !== 'receive'))(
    'nor what an operator writes, by an option of %s',
    async (path) => {
      const ids = await operator.action();
      const command = path
        .split(' ')
        .reduce((parent: Command, name) => parent.commands.find((child) => child.name() === name) ?? parent, program);
      for (const { long, required } of command.options) {
        if (!long || !required) continue;
        const { out, err } = await operator.run(...wordsOf(path, ids), '--yes', long, HOSTILE);
        expect([long, out + err]).toEqual([long, expect.not.stringMatching(UNSAFE)]);
      }
    },
  );

  test('is complete in JSON, and readable as text', async () => {
    await operator.json('org', 'create', '--name', STORED);
    expect((await operator.run('org', 'list')).out).toContain(ESCAPED);
    expect(await operator.json('org', 'list')).toEqual([expect.objectContaining({ name: STORED })]);
  });
});

test.each([
  ['session-signed', 'Session Signed'],
  ['SESSION SIGNED', 'Session Signed'],
  ['AllowedWebsites', 'Allowed Websites'],
  ['open', 'open'],
  ['', ''],
])('finds for %j the word %j', (text, word) => {
  expect(wordLike(['Allowed Websites', 'Session Signed'], text)).toBe(word);
});

describe('the report of long work', () => {
  const listing = async (terminal: boolean, ...words: string[]) => {
    operator.terminal = terminal;
    const { listOrganizations } = operator.store;
    operator.deployment = {
      ...operator.deployment,
      store: {
        ...operator.store,
        listOrganizations: async function* () {
          import.meta.jest.advanceTimersByTime(1000);
          yield* listOrganizations();
          import.meta.jest.advanceTimersByTime(900);
        },
      },
    };
    import.meta.jest.useFakeTimers();
    const { err } = await operator.run('org', 'list', ...words).finally(() => import.meta.jest.useRealTimers());
    return err;
  };
  beforeEach(() => operator.organization());

  test('updates one line on a terminal, and removes it', async () => {
    expect(await listing(true)).toBe(
      '\rFinding the deployment …\u001b[K\rReading organizations: 1 …\u001b[K\r\u001b[K',
    );
  });

  test('is one line without a terminal, and nothing with --json', async () => {
    expect(await listing(false)).toBe('Finding the deployment …\n');
    expect(await listing(false, '--json')).toBe('');
  });
});
