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
  expect(shown).not.toContain(out.trim());
  expect(await operator.json('assistant', 'show', site_id)).toMatchObject({
    server_secret: { last_six: out.trim().slice(-6) },
  });
  expect((await operator.run('assistant', 'show', site_id, '--json')).out).not.toContain('sha256');
});

test('requires regenerate for a second secret', async () => {
  const { site_id } = await operator.assistant('--mode', 'session-signed');
  const { server_secret } = await operator.json<{ server_secret: string }>('secret', 'generate', site_id);
  expect(await operator.run('secret', 'generate', site_id)).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^server_secret: already exists/),
  });
  const again = await operator.json<{ site_id: string; server_secret: string }>(
    'secret',
    'regenerate',
    site_id,
    '--yes',
  );
  expect(Object.keys(again)).toEqual(['site_id', 'server_secret']);
  expect(again.server_secret).not.toBe(server_secret);
});

test('asks for confirmation at a terminal before it replaces a secret, except with --yes', async () => {
  const { site_id } = await operator.assistant('--mode', 'session-signed');
  operator.terminal = true;
  expect((await operator.run('secret', 'regenerate', site_id)).code).toBe(0);
  expect(operator.questions).toEqual([]);
  expect(await operator.run('secret', 'regenerate', site_id)).toEqual({
    code: 5,
    out: '',
    err: 'Nothing was changed\n',
  });
  expect(operator.questions).toEqual([
    expect.stringMatching(/^Replace the secret of site_\w+ that ends in .{6}\? It stops/),
  ]);
  expect((await operator.run('secret', 'regenerate', site_id, '--yes')).code).toBe(0);
  expect(operator.questions).toHaveLength(1);
});

test('is refused in Allowed Websites, and for an unknown assistant', async () => {
  const { site_id } = await operator.assistant();
  expect(await operator.run('secret', 'generate', site_id)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^authentication_mode: /),
  });
  expect((await operator.run('secret', 'generate', 'site_x')).code).toBe(3);
  expect((await operator.run('secret', 'regenerate', 'site_x')).code).toBe(3);
});
