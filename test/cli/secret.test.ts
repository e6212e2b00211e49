import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

test('prints only the server secret, and only once', async () => {
  const { site_id } = await operator.assistant('--mode', 'session-signed');
  const { code, out, err } = await operator.run('secret', 'generate', site_id);
  expect([code, out]).toEqual([0, expect.stringMatching(/^ss_[a-z2-7]{20}_[A-Za-z0-9_-]{43}\n$/)]);
  expect(err).toContain('cannot be shown again');
  const { out: shown } = await operator.run('assistant', 'show', site_id);
  expect(shown).toContain(`server_secret.last_six  ${out.trim().slice(-6)}`);
  const server_secret = { last_six: out.trim().slice(-6) };
  expect(await operator.json('assistant', 'show', site_id)).toMatchObject({ server_secret });
  const { out: json } = await operator.run('assistant', 'show', site_id, '--json');
  for (const secret of [out.trim(), 'sha256']) expect(shown + json).not.toContain(secret);
});

test('replaces a secret with regenerate alone, after a confirmation', async () => {
  const { site_id } = await operator.assistant('--mode', 'session-signed');
  operator.terminal = true;
  expect((await operator.run('secret', 'regenerate', site_id)).code).toBe(0);
  expect(operator.questions).toEqual([]);
  expect(await operator.run('secret', 'generate', site_id)).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^server_secret: already exists/),
  });
  const refused = { code: 5, out: '', err: 'Nothing was changed\n' };
  expect(await operator.run('secret', 'regenerate', site_id)).toEqual(refused);
  expect(operator.questions).toEqual([
    expect.stringMatching(/^Replace the secret of site_\w+ that ends in .{6}\? It stops/),
  ]);
  const again = await operator.json('secret', 'regenerate', site_id, '--yes');
  expect(again).toEqual({ site_id, server_secret: expect.stringMatching(/^ss_/) });
});
