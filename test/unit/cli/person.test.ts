import { isAboutPerson } from '../../../cli/operations/personal-data.ts';
import { OPERATOR_AUTHOR } from '../../fakes/configuration.ts';
import { attempt, FakeOperator } from './operator.ts';

const record = (payload: object) =>
  attempt({ trigger_ref: 'message.sent', event_time: '2026-03-04T05:06:00Z', payload: JSON.stringify(payload) });

/** An operator whose organization has an Action, and one conversation of u-1. Every log has three records, two of them of u-1. */
async function operatorWithRecords() {
  const operator = new FakeOperator();
  operator.whileWaiting = () => true;
  const { org_id, site_id } = await operator.action();
  operator.records = [record({ user: 'u-1' }), record({ mail: 'a\u009bb' }), record({ user: 'u-2' })];
  const about = { session_id: 's-1', visitor_id: 'u-1', user_id: 'u-1', started_at: '2026-03-04T05:00:00Z' };
  const changed: unknown[] = [];
  operator.deployment = {
    ...operator.deployment,
    erasure: {
      ...operator.deployment.erasure,
      conversations: async function* () {
        yield { items: [{ site_id, conversation_id: 'c-1', ...about }], read: 1 };
        yield { items: [{ site_id: 'site_of_another', conversation_id: 'c-2', ...about }], read: 2 };
      },
      eraseContent: async ({ payload }) => changed.push(payload) > 0,
      eraseConversation: async (_, conversationId) => {
        changed.push(conversationId);
      },
    },
    store: {
      ...operator.store,
      record: async (record) => {
        await operator.store.record(record);
        changed.push(record.org_id);
      },
    },
  };
  return { operator, org_id, site_id, changed };
}

test('counts on a dry run, asks with the counts, and erases', async () => {
  const { operator, org_id, changed } = await operatorWithRecords();
  const dry = await operator.run('erase', '--org', org_id, '--user', 'u-1', '--user', 'u-3', '--dry-run');
  expect(dry).toEqual({
    code: 0,
    out: [
      'Found; nothing was changed',
      `  org_id              ${org_id}`,
      '  records_read        6',
      '  records             2',
      '  unfinished_records  0',
      '  cut_payloads        0',
      '  conversations       1',
      '  counters            0',
      '  changes             0',
      '',
    ].join('\n'),
    err: '',
  });
  expect(await operator.run('erase', '--org', org_id, '--user', 'u-1')).toMatchObject({ code: 5 });
  operator.terminal = true;
  operator.answer = 'n';
  expect(await operator.run('erase', '--org', org_id, '--user', 'u-1')).toMatchObject({ code: 5 });
  expect(operator.questions).toEqual([
    `Erase the content of 2 delivery records, and 1 conversation, of ${org_id}? [y/N] `,
  ]);
  expect(changed).toEqual([]);
  operator.files = { ids: 'u-1\r\n\nu-2\n' };
  expect(await operator.json('erase', '--org', org_id, '--user', '@ids', '--yes')).toMatchObject({
    org_id,
    conversations: 1,
    remaining: Object.fromEntries(
      ['queues', 'dead_letters', 'backups', 'event_archive'].map((copy) => [copy, expect.any(String)]),
    ),
  });
  expect(changed).toEqual(expect.arrayContaining([org_id, '{"user":"u-1"}', '{"user":"u-2"}', 'c-1']));
  expect(changed).not.toContain('c-2');
});

test('takes ids from a file that a spreadsheet or an editor of Windows wrote', async () => {
  const { operator, org_id, changed } = await operatorWithRecords();
  operator.files = { ids: '\ufeffu-1 \r\n\t\r\n  u-2\t' };
  const person = ['--org', org_id, '--user', '@ids'];
  expect((await operator.run('export', ...person)).err).toBe('Exported 5 lines\n');
  await operator.json('erase', ...person, '--yes');
  expect(changed).toEqual(expect.arrayContaining(['{"user":"u-1"}', '{"user":"u-2"}', 'c-1']));
});

test('erases no conversation, which leads to further records, while a record cannot be read', async () => {
  const { operator, org_id, changed } = await operatorWithRecords();
  operator.unreadableRecords = [{ cause: new Error('Table log holds an item that cannot be read') }];
  const run = () => operator.run('erase', '--org', org_id, '--user', 'u-1', '--yes');
  expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('cannot be read') });
  expect(changed).toContain(operator.records[0]?.payload);
  expect(changed).not.toContain('c-1');
  operator.unreadableRecords = [];
  expect(await run()).toMatchObject({ code: 0 });
  expect(changed).toContain('c-1');
});

test.each([['--dry-run'], ['--yes']])('erase %s says that it has found nothing of an id', async (how) => {
  const { operator, org_id } = await operatorWithRecords();
  const found = async (id: string) => (await operator.run('erase', '--org', org_id, '--user', id, how)).err;
  expect(await found('u-3')).toMatch(/^Nothing has one of these ids/);
  expect(await found('u-2')).not.toContain('Nothing has');
});

test('refuses an empty id, an id of the organization itself, and an unknown organization', async () => {
  const { operator, org_id, site_id, changed } = await operatorWithRecords();
  for (const id of ['', org_id, site_id]) {
    const { code, err } = await operator.run('erase', '--org', org_id, '--user', 'u-1', '--user', id, '--yes');
    expect([code, err]).toEqual([2, expect.stringMatching(/^--user: /)]);
  }
  expect((await operator.run('erase', '--org', org_id, '--yes')).code).toBe(2);
  expect((await operator.run('erase', '--org', 'org_x', '--user', 'u-1', '--yes')).code).toBe(3);
  expect((await operator.run('export', '--org', 'org_x')).code).toBe(3);
  expect(changed).toEqual([]);
});

test("exports an organization's log, or the data of one person, as JSON Lines", async () => {
  const { operator, org_id, site_id } = await operatorWithRecords();
  const { out, err } = await operator.run('export', '--org', org_id);
  expect(err).toBe('Exported 9 lines\n');
  expect(out.trimEnd().split('\n')).toHaveLength(9);
  expect(out).toContain('a\\u009bb');
  expect(JSON.parse(out.split('\n')[3] ?? '')).toEqual({ kind: 'delivery', ...operator.records[0] });
  const person = await operator.run('export', '--org', org_id, '--user', 'u-1');
  const lines = person.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ kind }) => kind)).toEqual(['conversation', 'delivery', 'delivery']);
  expect(lines[0]).toMatchObject({ site_id, conversation_id: 'c-1', user_id: 'u-1' });
  operator.clock.advance(86_400_000);
  const later = await operator.run('export', '--org', org_id, '--since', '2026-03-05');
  expect(later).toMatchObject({ code: 0, out: expect.stringMatching(/^.*export_data.*\n$/) });
  operator.whileWaiting = () => false;
  expect((await operator.run('export', '--org', org_id)).code).toBe(1);
});

test('exports and erases what the audit trail has of a person, and keeps what was done', async () => {
  const { operator, org_id } = await operatorWithRecords();
  const member = ['--org', org_id, '--email', 'ada@example.com'];
  for (const words of [['add'], ['add', '--role', 'admin'], ['remove']]) {
    expect((await operator.run('member', ...words, ...member)).code).toBe(0);
    operator.clock.advance(1);
  }
  await operator.run('member', 'add', '--org', org_id, '--email', 'max@example.com');
  const trail = async () => {
    const { records } = await operator.store.auditPage(org_id);
    return records.filter(({ site_id, operation }) => site_id === '' && operation !== 'export_data').toReversed();
  };
  const role = (before: string | null, after: string | null) => ({ changes: [{ field: 'role', before, after }] });
  const by = { sub: 'operator', email: 'operator', arn: OPERATOR_AUTHOR.arn };
  expect(await trail()).toMatchObject([
    { operation: 'add_member', by, name: 'ada@example.com', ...role(null, 'member') },
    { operation: 'change_role', by, name: 'ada@example.com', ...role('member', 'admin') },
    { operation: 'remove_member', by, name: 'ada@example.com', ...role('admin', null) },
    { operation: 'add_member', by, name: 'max@example.com' },
  ]);
  const [{ entity_id: sub } = { entity_id: '' }] = await trail();
  const exportOf = async (...user: readonly string[]) => {
    const { out } = await operator.run('export', '--org', org_id, ...user);
    // Without the records of these exports.
    return out.split('\n').filter((line) => line.includes('"kind":"change"') && !line.includes('export_data')).length;
  };
  expect([await exportOf(), await exportOf('--user', 'ada@example.com'), await exportOf('--user', sub)]).toEqual([
    6, 3, 3,
  ]);
  // The last two changes, of which one is of another person.
  const since = ['--since', (await trail()).at(-2)?.at ?? ''];
  expect([await exportOf(...since), await exportOf(...since, '--user', 'ada@example.com')]).toEqual([2, 1]);
  const ids = ['--user', 'ada@example.com', '--user', sub];
  expect(await operator.json('erase', '--org', org_id, ...ids, '--yes')).toMatchObject({ changes: 3 });
  const left = JSON.stringify([await trail(), operator.store.client]);
  expect([left.includes('ada@example.com'), left.includes(sub)]).toEqual([false, false]);
  expect((await trail()).map(({ operation, name }) => [operation, name])).toEqual(
    expect.arrayContaining([
      ['change_role', 'erased'],
      ['add_member', 'max@example.com'],
    ]),
  );
});

/** A record with these texts. */
const withTexts = (payload: string | null, response_excerpt: string | null = null) =>
  attempt({ reference: 'reference', trigger_ref: 'message.sent', payload, response_excerpt });
const isFound = (id: string, payload: string | null, excerpt?: string) =>
  isAboutPerson(withTexts(payload, excerpt), new Set(['other', id]));

test.each([
  ['u-1', '{"data":{"user":{"id":"u-1"}}}', true],
  ['u-1', '{ "data" : [ { "u-1" : true } ] }', true],
  ['u-1', '"u-1"', true],
  ['42', '{"data":{"user":42}}', true],
  ['4.5', '[4.5]', true],
  ['Zoë "Z" \\ 李', '{"name":"Zo\\u00eb \\"Z\\" \\\\ \\u674e"}', true],
  // A field whose name stands there again, of which a parser returns the last.
  ['u-1', '{"user":"u-1","user":"x"}', true],
  ['u-1', '{"user":{"id":"u-1"},"user":null}', true],
  ['u-1', '{"user":{"u-1":1},"user":[]}', true],
  ['42', '{"a":[{"user":42,"user":43}]}', true],
  ['u-1', '{"user":"u-1","\\u0075ser":"x"}', true],
  ['u-1', '{"__proto__":{"id":"u-1"},"__proto__":{}}', true],
  ['u-1', '{"data":{"user":"u-10","text":"u-1 says hello","xu-1":1}}', false],
  ['u-1', '{"text":"say \\"u-1\\", \\"u-1\\""}', false],
  ['U-1', '{"user":"u-1"}', false],
  ['4', '{"user":42,"list":[4.5,"42",-4]}', false],
  ['true', '{"consent":true,"none":null}', false],
  ['constructor', '{"user":"u-1"}', false],
  ['12345678901234567890', '{"user":12345678901234567890}', true],
  ['12345678901234567890', '{"user":12345678901234567891}', false],
])('looks for the id %j in %s', (id, payload, expected) => {
  expect([isFound(id, payload), isFound(id, null, payload)]).toEqual([expected, expected]);
});

test('finds an id at any depth and after any length', () => {
  const deep = 100_000;
  expect(isFound('u-1', `${'['.repeat(deep)}"u-1"${']'.repeat(deep)}`)).toBe(true);
  expect(isFound('u-1', `["${'x'.repeat(4_000_000)}","${'\\n'.repeat(1_000_000)}","u-1"]`)).toBe(true);
});

test('finds an id in text that is not JSON only where it stands alone', () => {
  const inResponse = (text: string) =>
    isAboutPerson(withTexts(null, text), new Set(['u-1', 'ada@example.com', 'a"b', 'Zoë']));
  const alone = ['created u-1.', 'u-1', 'id=u-1&x', '{"id":"u-1","cut', 'to <ada@example.com>', '{"n":"a\\"b","cut'];
  for (const text of [...alone, '{"n":"Zo\\u00eb","cut', '{"text":"\\nu-1\\n', '<a href="mailto:ada@example.com">']) {
    expect([text, inResponse(text)]).toEqual([text, true]);
  }
  for (const text of ['u-10', 'xu-1', 'u-1-2', 'u-1.5', 'ada@example.com.au', 'lada@example.com', '李u-1', '']) {
    expect([text, inResponse(text)]).toEqual([text, false]);
  }
});

test('finds ids in the reference and in what the trigger refers to', () => {
  expect(isFound('reference', null)).toBe(true);
  expect(isFound('message.sent', 'not JSON')).toBe(true);
  expect(isFound('message', '{}')).toBe(false);
});
