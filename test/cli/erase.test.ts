import { FakeOperator } from './operator.ts';

async function operatorWithAction() {
  const operator = new FakeOperator();
  operator.whileWaiting = () => true;
  return { operator, ...(await operator.action()) };
}

test('erases an assistant after the operator has typed its id', async () => {
  const { operator, site_id, org_id } = await operatorWithAction();
  operator.terminal = true;
  operator.answer = 'y';
  expect(await operator.run('assistant', 'delete', site_id)).toMatchObject({ code: 5, err: 'Nothing was changed\n' });
  expect(operator.questions).toEqual([
    `Erase the assistant Shop (${site_id}) and all data of its visitors? Type ${site_id} to continue: `,
  ]);
  expect(operator.store.assistants.get(site_id)?.enabled).toBe(true);
  operator.answer = site_id;
  const { code, out } = await operator.run('assistant', 'delete', site_id);
  expect([code, out]).toEqual([
    0,
    `Erased the assistant\n  site_id             ${site_id}\n  actions             1\n  log_records         3\n  conversation_items  2\n`,
  ]);
  expect([operator.store.assistants.size, operator.store.actions.size]).toEqual([0, 0]);
  expect(operator.store.organizations.has(org_id)).toBe(true);
  expect((await operator.run('assistant', 'delete', site_id)).code).toBe(3);
});

test('erases an organization with all its data, without a question with --yes', async () => {
  const { operator, org_id } = await operatorWithAction();
  await operator.json('member', 'add', '--org', org_id, '--email', 'ada@example.com');
  expect(await operator.run('org', 'delete', org_id)).toMatchObject({
    code: 5,
    err: expect.stringContaining('use --yes'),
  });
  expect(await operator.json('org', 'delete', org_id, '--yes')).toEqual({
    org_id,
    assistants: 1,
    members: 1,
    actions: 1,
    log_records: 3,
    conversation_items: 2,
  });
  const { store, members } = operator;
  expect([store.organizations.size, store.assistants.size, store.actions.size, members.size]).toEqual([0, 0, 0, 0]);
});

test('reports an interruption, and continues when it is run again', async () => {
  const { operator, site_id } = await operatorWithAction();
  operator.whileWaiting = (pauses) => pauses < 4;
  expect(await operator.run('assistant', 'delete', site_id, '--yes')).toMatchObject({
    code: 1,
    err: 'Interrupted: run the command again to continue\n',
  });
  expect(operator.store.assistants.get(site_id)?.enabled).toBe(false);
  operator.whileWaiting = () => true;
  expect((await operator.run('assistant', 'delete', site_id, '--yes')).code).toBe(0);
  expect(operator.store.assistants.size).toBe(0);
});
