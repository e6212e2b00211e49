import { isDeepStrictEqual } from 'node:util';
import { type Deployment, openDeployment } from '../../../cli/deployment.ts';
import { KEYS } from '../../../src/adapters/dynamodb/configuration-items.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { AwsFault } from '../../fakes/aws-services.ts';
import { CONFIGURATION } from '../../fakes/configuration-store.ts';
import { ACCESS } from '../../fakes/memory-clients.ts';
import { attempt, FakeOperator } from './operator.ts';

type Ids = { readonly org_id: string; readonly site_id: string; readonly action_id: string };
const ITEMS = {
  'the Action': ({ org_id, action_id }: Ids) => KEYS.action(org_id, action_id),
  'the assistant': ({ site_id }: Ids) => KEYS.assistant(site_id),
  'the organization': ({ org_id }: Ids) => KEYS.organization(org_id),
} as const;
type ItemName = keyof typeof ITEMS;
const ID_NAMES = { 'the Action': 'action_id', 'the assistant': 'site_id', 'the organization': 'org_id' } as const;

/** How an item cannot be read: newer code wrote it, or a field was changed by hand. */
const SPOILED = {
  newer: (item: object) => ({ ...item, v: 99 }),
  unreadable: (item: object) =>
    Object.fromEntries(
      Object.entries(item).map(([name, value]) => [name, typeof value === 'object' ? { ...value, name: 7 } : value]),
    ),
} as const;

/**
 * An operator whose log, dead letters and function logs have something to show. Of each item there is one that a command shows or changes
 * beside the item of `ids`: an Action and an assistant of the same organization, and another organization.
 */
async function onCall(): Promise<{ readonly operator: FakeOperator; readonly ids: Ids; readonly besides: Ids }> {
  const operator = new FakeOperator();
  operator.whileWaiting = () => true;
  const ids = await operator.action();
  const { org_id, site_id, action_id } = ids;
  const event = { id: 'event-1', event: 'conversation.started', timestamp: '2026-03-04T05:06:00Z', data: {} };
  operator.records = [attempt({ action_id, payload: JSON.stringify({ ...event, org_id, site_id }) })];
  const shop = ['--name', 'Other shop', '--domain', 'other.example', '--rate-limit', '1000'];
  const other = await operator.json<Ids>('assistant', 'create', '--org', org_id, ...shop);
  const crm = ['--name', 'Tell the other CRM', '--url', 'https://crm.example/', '--event', 'conversation.started'];
  const ofOther = await operator.json<Ids>('action', 'create', '--site', other.site_id, '--trigger', 'Event', ...crm);
  const besides = { ...ofOther, site_id: other.site_id, org_id: await operator.organization() };
  operator.attempts = [...operator.records, attempt({ action_id: besides.action_id })];
  operator.deadLetters.deliveries.add('message-1', { version: 1, action_id });
  operator.logLines = [{ time: '2026-03-04T05:06:07.250Z', text: 'event-1' }];
  return { operator, ids, besides };
}

type Words = (ids: Ids) => readonly string[];
/**
 * What a command needs to be read, or lists beside what it cannot read: it does nothing or the rest, names what it could not read, and fails. It
 * does all without what is in neither list.
 */
const COMMANDS: Readonly<
  Record<string, readonly [words: Words, needed: readonly ItemName[], named?: readonly ItemName[]]>
> = {
  'deliveries of an Action': [({ action_id }) => ['deliveries', action_id], []],
  'deliveries of an Action, with payloads': [({ action_id }) => ['deliveries', action_id, '--json'], []],
  'one delivery': [({ action_id }) => ['deliveries', action_id, 'event-1'], []],
  'deliveries of usage webhooks': [({ site_id }) => ['deliveries', site_id, '--json'], []],
  'event trace': [({ org_id }) => ['event', 'trace', 'event-1', '--org', org_id], [], ['the Action']],
  'event trace, as JSON': [
    ({ org_id }) => ['event', 'trace', 'event-1', '--org', org_id, '--json'],
    [],
    ['the Action'],
  ],
  export: [({ org_id }) => ['export', '--org', org_id], []],
  'export of a person': [({ org_id }) => ['export', '--org', org_id, '--user', 'u-1'], []],
  'erase, as a dry run': [({ org_id }) => ['erase', '--org', org_id, '--user', 'u-1', '--dry-run'], []],
  erase: [({ org_id }) => ['erase', '--org', org_id, '--user', 'u-1', '--yes'], []],
  'redrive, as a dry run': [() => ['redrive', 'deliveries', '--dry-run'], []],
  redrive: [() => ['redrive', 'deliveries', '--yes'], []],
  trace: [() => ['trace', 'event-1'], []],
  logs: [() => ['logs', 'dispatcher'], []],
  'member list': [({ org_id }) => ['member', 'list', '--org', org_id], []],
  'org list': [() => ['org', 'list'], [], ['the organization']],
  'assistant list': [({ org_id }) => ['assistant', 'list', '--org', org_id], [], ['the assistant']],
  'event put': [
    ({ org_id }) => ['event', 'put', 'conversation.started', '--org', org_id],
    ['the organization'],
    ['the Action'],
  ],
  'action list': [({ org_id }) => ['action', 'list', '--org', org_id], [], ['the Action']],
  'action secret': [({ action_id }) => ['action', 'secret', action_id], ['the Action']],
  'event replay': [({ action_id }) => ['event', 'replay', 'event-1', action_id, '--yes'], ['the Action']],
  'org suspend': [
    ({ org_id }) => ['org', 'suspend', org_id, '--yes'],
    ['the organization'],
    ['the assistant', 'the Action'],
  ],
};

const cases = Object.entries(COMMANDS).flatMap(([name, [words, needed, named = []]]) =>
  (Object.keys(ITEMS) as readonly ItemName[]).flatMap((item) =>
    (Object.keys(SPOILED) as readonly (keyof typeof SPOILED)[]).map((kind) => {
      const outcome = needed.includes(item)
        ? 'fails and names it'
        : named.includes(item)
          ? 'does the rest and names it'
          : 'does all';
      return { name, words, item, kind, outcome };
    }),
  ),
);

test.each(cases)('$name $outcome, where $item is $kind', async ({ words, item, kind, outcome }) => {
  const { operator, ids, besides } = await onCall();
  const healthy = await (async () => {
    const other = await onCall();
    return other.operator.run(...words(other.ids));
  })();
  expect(healthy.code).toBe(0);
  const key = ITEMS[item](ids);
  const { Item = {} } = await operator.store.client.get({ TableName: CONFIGURATION, Key: key });
  await operator.store.client.putItem({ TableName: CONFIGURATION, Item: SPOILED[kind](Item) });
  const keyBeside = ITEMS[item]({ ...besides, org_id: item === 'the organization' ? besides.org_id : ids.org_id });
  const itemBeside = () => operator.store.client.get({ TableName: CONFIGURATION, Key: keyBeside });
  const before = await itemBeside();
  expect(before.Item).toBeDefined();
  const { code, out, err } = await operator.run(...words(ids));
  if (outcome === 'does all') {
    expect([err, code]).toEqual([healthy.err, 0]);
    expect(out.split('\n')).toHaveLength(healthy.out.split('\n').length);
  } else {
    const isShown = out.includes(besides[ID_NAMES[item]]);
    const isRestDone = isShown || !isDeepStrictEqual(await itemBeside(), before);
    expect(err).toMatch(new RegExp(`${key.pk}|${ids.action_id}`));
    expect([isRestDone, code]).toEqual([outcome !== 'fails and names it', 1]);
  }
});

const DELETED = { pk: 'DELETED', sk: 'ID#org_9' };
/** Commands that can say that there is none, by the only item that they could list, or the log. */
const NONE: readonly (readonly [words: Words, keyOfOnly: ((ids: Ids) => typeof DELETED) | 'log'])[] = [
  [() => ['org', 'list'], ITEMS['the organization']],
  [() => ['org', 'list', '--deleted'], () => DELETED],
  [({ org_id }) => ['assistant', 'list', '--org', org_id], ITEMS['the assistant']],
  [({ org_id }) => ['action', 'list', '--org', org_id], ITEMS['the Action']],
  [({ site_id }) => ['action', 'list', '--site', site_id], ITEMS['the Action']],
  [({ org_id }) => ['member', 'list', '--org', org_id], ({ org_id }) => KEYS.member(org_id, 'sub-1')],
  [({ org_id }) => ['event', 'put', 'conversation.started', '--org', org_id], ITEMS['the Action']],
  [({ action_id }) => ['event', 'replay-failed', action_id, '--since', '1h', '--dry-run'], 'log'],
  [({ action_id }) => ['event', 'replay-failed', action_id, '--since', '1h', '--yes'], 'log'],
  [({ action_id }) => ['deliveries', action_id], 'log'],
  [({ org_id }) => ['erase', '--org', org_id, '--user', 'u-1', '--dry-run'], 'log'],
];
const NAMES = { org_id: '<org_id>', site_id: '<site_id>', action_id: '<action_id>' };
test.each(NONE.map(([words, keyOfOnly]) => ({ name: words(NAMES).join(' '), words, keyOfOnly })))(
  '$name says that there is none, and not beside one that cannot be read',
  async ({ words, keyOfOnly }) => {
    const operator = new FakeOperator();
    const ids = await operator.action();
    operator.whileWaiting = () => true;
    const Key = keyOfOnly === 'log' ? DELETED : keyOfOnly(ids);
    const TableName = Key === DELETED ? '' : CONFIGURATION;
    await operator.store.client.delete({ TableName, Key });
    const none = /^(No|Nothing|Warning: no) /m;
    const empty = await operator.run(...words(ids));
    expect([empty.code, empty.out + empty.err]).toEqual([0, expect.stringMatching(none)]);
    if (keyOfOnly === 'log') operator.unreadableRecords = [{ cause: new Error(`An item cannot be read: ${Key.sk}`) }];
    else await operator.store.client.putItem({ TableName, Item: { ...Key, v: 99 } });
    const { code, out, err } = await operator.run(...words(ids));
    expect([code, err]).toEqual([1, expect.stringContaining(Key.sk)]);
    expect(out + err).not.toMatch(none);
  },
);

const OF_ORGANIZATION = Object.entries(COMMANDS).filter(([, [words]]) =>
  words({ org_id: '', site_id: '', action_id: '' }).includes('--org'),
);
test.each(
  OF_ORGANIZATION.flatMap(([name, [words]]) =>
    (['site_id', 'action_id'] as const).map((kind) => ({ name, words, kind })),
  ),
)('$name takes no $kind as an organization', async ({ words, kind }) => {
  const { operator, ids } = await onCall();
  const id = ids[kind];
  const { code, out, err } = await operator.run(...words({ ...ids, org_id: id }));
  expect({ code, out }).toEqual({ code: 3, out: '' });
  expect(err).toContain(`no organization ${id}`);
  expect((await operator.store.auditPage(id)).records).toEqual([]);
});

const DEPLOYED = Object.fromEntries(Object.values(OUTPUTS).map((name) => [name, 'https://va-wave.example']));

test.each<[string, Deployment['logLines']]>([
  [
    'does not exist',
    () => {
      throw new AwsFault('ResourceNotFoundException');
    },
  ],
  ['has no output LogOfUsageReport: deploy', openDeployment(DEPLOYED, ACCESS, '').logLines],
])('trace searches the other logs beside one that %s, names it and fails', async (problem, missingLog) => {
  const { operator } = await onCall();
  const { logLines: log } = operator.deployment;
  operator.deployment = {
    ...operator.deployment,
    logLines: (name, query) => (name === 'usage-report' ? missingLog : log)(name, query),
  };
  expect(await operator.run('trace', 'event-1')).toEqual({
    code: 1,
    out: expect.stringContaining('dispatcher  event-1'),
    err: expect.stringMatching(new RegExp(`^The log of usage-report was not searched\n.*${problem}`, 's')),
  });
  operator.logLines = [];
  const { code, out, err } = await operator.run('trace', 'event-1');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^No line of the other logs has event-1 since .*\nThe log of usage-report was not searched\n/);
});

test.each(['AccessDeniedException', 'ExpiredTokenException'])(
  'trace searches no further log after %s',
  async (errorName) => {
    const { operator } = await onCall();
    const asked: string[] = [];
    operator.deployment = {
      ...operator.deployment,
      logLines: (name) => {
        asked.push(name);
        throw new AwsFault(errorName);
      },
    };
    const { code, out, err } = await operator.run('trace', 'event-1');
    expect([code, out, asked.length]).toEqual([1, '', 1]);
    expect(err).not.toMatch(/No line|not searched/);
  },
);

test('only what records its author needs the name that AWS has for the operator', () => {
  const { author, store } = openDeployment(DEPLOYED, ACCESS, new Error('No route to STS'));
  expect(store).toBeDefined();
  expect(() => author.arn).toThrow('No route to STS');
});
