import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openDataFolder, writeKept } from '../../../../local/cloud/data-folder.ts';
import { openFauxqs } from '../../../../local/cloud/engines/fauxqs.ts';
import { keptLogins } from '../../../../local/cloud/http/login.ts';
import { schedule } from '../../../../local/cloud/services/event-bridge.ts';
import { keptSecrets } from '../../../../local/cloud/services/secrets-manager.ts';
import { openQueues } from '../../../../local/cloud/services/sqs.ts';
import { keptUsers } from '../../../../local/cloud/services/user-pools.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';

const root = temporaryFolder();

test.each(['new', 'existing'])('makes a data folder that is %s readable only for its owner', (name) => {
  mkdirSync(join(root, 'existing'), { recursive: true });
  chmodSync(join(root, 'existing'), 0o755);
  const folder = openDataFolder(join(root, name));
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  folder.release();
});

test.each([
  ['a file', join(root, 'file')],
  ['below a file', join(root, 'file', 'x')],
])('a path that is %s is refused with one message', (_, path = '') => {
  writeFileSync(join(root, 'file'), '');
  expect(() => openDataFolder(path)).toThrow(`The data folder ${path} cannot be made`);
});

test('a file for the owner is not written into what somebody has prepared, and not through a link', () => {
  const shared = join(root, 'shared');
  mkdirSync(shared);
  const [ready, theirs] = [join(shared, 'ready.json'), join(shared, 'theirs')];
  for (const file of [`${ready}.new`, theirs]) writeFileSync(file, 'prepared', { mode: 0o666 });
  symlinkSync(theirs, ready);
  writeKept(ready, { key: 'secret' });
  expect(readFileSync(`${ready}.new`, 'utf8') + readFileSync(theirs, 'utf8')).toBe('preparedprepared');
  expect([lstatSync(ready).isFile(), statSync(ready).mode & 0o777]).toEqual([true, 0o600]);
  writeKept(ready, { key: 'next' });
  expect(JSON.parse(readFileSync(ready, 'utf8'))).toEqual({ key: 'next' });
  expect(readdirSync(shared).sort()).toEqual(['ready.json', 'ready.json.new', 'theirs']);
});

function identityIn(path: string) {
  const folder = openDataFolder(path);
  try {
    return folder.readIdentity();
  } finally {
    folder.release();
  }
}

test.each([
  ['version.json', (folder: string) => openDataFolder(folder)],
  ['users.json', (folder: string) => keptUsers(join(folder, 'users.json'))],
  ['logins.json', (folder: string) => keptLogins(join(folder, 'logins.json'))],
  ['secrets.json', (folder: string) => keptSecrets(join(folder, 'secrets.json'))],
  ['schedules.json', (folder: string) => schedule([], () => {}, join(folder, 'schedules.json'))],
  ['identity.json', identityIn],
])('a damaged %s is refused with one message that does not quote it, and stays as it is', (name, read) => {
  const folder = join(root, name);
  mkdirSync(folder);
  for (const damaged of ['', '[{"password":"DontTell', 'null', '[1]', '{"version":"99"}', '\0\0']) {
    writeFileSync(join(folder, name), damaged);
    expect(() => read(folder)).toThrow(/ cannot (be )?read\. Delete /);
    expect(() => read(folder)).not.toThrow(/DontTell/);
    expect(readFileSync(join(folder, name), 'utf8')).toBe(damaged);
  }
});

test('requests of nobody end no kept login, also after a restart', () => {
  const file = join(root, 'logins.json.kept');
  const logins = keptLogins(file);
  const kinds = ['RefreshToken', 'Grant', 'Session', 'grant', 'sessionUid'];
  for (const kind of kinds) logins.set(`${kind}:of a user`, { kind });
  for (let i = 0; i < 1100; i++) logins.set(`Interaction:${i}`, {});
  const again = keptLogins(file);
  expect(kinds.filter((kind) => again.get(`${kind}:of a user`) === undefined)).toEqual([]);
  expect([again.get('Interaction:99'), again.get('Interaction:100'), again.get('Interaction:1099')]).toEqual([
    undefined,
    {},
    {},
  ]);
});

test('damaged queues are refused with one message; a damaged write-ahead log costs only what it held', async () => {
  const folder = join(root, 'queues');
  mkdirSync(folder);
  const file = join(folder, 'fauxqs.db');
  const before = await openFauxqs(folder);
  before.stores.sqsStore.createQueue('kept', 'http://127.0.0.1/kept', 'arn:aws:sqs:eu-central-1:000000000000:kept');
  before.close();
  writeFileSync(`${file}-wal`, Buffer.alloc(9000, 7));
  const after = await openFauxqs(folder);
  expect(after.stores.sqsStore.getQueueByName('kept')).toBeDefined();
  after.close();
  writeFileSync(file, Buffer.alloc(9000, 7));
  await expect(openQueues(folder)).rejects.toThrow(/^The state in .* cannot be read .* Delete the data folder/);
});
