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
      recordErasure: async (orgId) => {
        changed.push(orgId);
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
      `  org_id         ${org_id}`,
      '  records_read   6',
      '  records        2',
      '  unfinished     0',
      '  cut_payloads   0',
      '  places.user    2',
      '  conversations  1',
      '  counters       0',
      '',
    ].join('\n'),
    err: '',
  });
  expect(await operator.run('erase', '--org', org_id, '--user', 'u-1')).toMatchObject({ code: 5 });
  operator.terminal = true;
  operator.answer = 'n';
  expect(await operator.run('erase', '--org', org_id, '--user', 'u-1')).toMatchObject({ code: 5 });
  expect(operator.questions).toEqual([
    `Erase the content of 2 delivery records, and 1 conversations, of ${org_id}? [y/N] `,
  ]);
  expect(changed).toEqual([]);
  operator.files = { ids: 'u-1\r\n\nu-2\n' };
  expect(await operator.json('erase', '--org', org_id, '--user', '@ids', '--yes')).toMatchObject({
    org_id,
    conversations: 1,
    remaining: { queues: expect.any(String), dead_letters: expect.any(String), backups: expect.any(String) },
  });
  expect(changed).toEqual(expect.arrayContaining([org_id, '{"user":"u-1"}', '{"user":"u-2"}', 'c-1']));
  expect(changed).not.toContain('c-2');
});

test('refuses an empty id, an id of the organization itself, and an unknown organization', async () => {
  const { operator, org_id, site_id, changed } = await operatorWithRecords();
  for (const id of ['', org_id, site_id]) {
    const { code, err } = await operator.run('erase', '--org', org_id, '--user', 'u-1', '--user', id, '--yes');
    expect([code, err]).toEqual([2, expect.stringMatching(/^user: /)]);
  }
  expect((await operator.run('erase', '--org', org_id, '--yes')).code).toBe(2);
  expect((await operator.run('erase', '--org', 'org_x', '--user', 'u-1', '--yes')).code).toBe(3);
  expect((await operator.run('export', '--org', 'org_x')).code).toBe(3);
  expect(changed).toEqual([]);
});

test("exports an organization's log, or the data of one person, as JSON Lines", async () => {
  const { operator, org_id, site_id } = await operatorWithRecords();
  const { out, err } = await operator.run('export', '--org', org_id);
  expect(err).toBe('Exported 6 lines\n');
  expect(out.trimEnd().split('\n')).toHaveLength(6);
  expect(out).toContain('a\\u009bb');
  expect(JSON.parse(out.split('\n')[0] ?? '')).toEqual({ kind: 'delivery', ...operator.records[0] });
  const person = await operator.run('export', '--org', org_id, '--user', 'u-1');
  const lines = person.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ kind }) => kind)).toEqual(['conversation', 'delivery', 'delivery']);
  expect(lines[0]).toMatchObject({ site_id, conversation_id: 'c-1', user_id: 'u-1' });
  const later = await operator.run('export', '--org', org_id, '--since', '2026-03-05');
  expect(later).toMatchObject({ code: 0, out: '' });
  operator.whileWaiting = () => false;
  expect((await operator.run('export', '--org', org_id)).code).toBe(1);
});
