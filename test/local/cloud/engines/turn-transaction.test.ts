import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TurnTransaction } from '../../../../local/cloud/engines/turn-transaction.ts';

const folder = mkdtempSync(join(tmpdir(), 'turn-transaction-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function open() {
  const file = join(folder, `${files++}.db`);
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (name TEXT UNIQUE)');
  const insert = database.prepare('INSERT INTO things VALUES (?)');
  const other = new DatabaseSync(file);
  return {
    database,
    insert: (name: string) => insert.run(name),
    transaction: new TurnTransaction(database),
    /** Returns what another process reads. */
    seen: () =>
      other
        .prepare('SELECT name FROM things')
        .all()
        .map(({ name }) => name),
  };
}

test('commits the writes of one turn of the event loop together', async () => {
  const { transaction, insert, seen } = open();
  transaction.write(() => insert('a'));
  transaction.write(() => insert('b'));
  expect(seen()).toEqual([]);
  await transaction.done();
  expect(seen()).toEqual(['a', 'b']);
  transaction.write(() => insert('c'));
  await transaction.done();
  expect(seen()).toEqual(['a', 'b', 'c']);
});

test('without a write there is no commit to wait for', async () => {
  await expect(open().transaction.done()).resolves.toBeUndefined();
});

test('an end commits the open writes', () => {
  const { transaction, insert, seen } = open();
  transaction.end();
  transaction.write(() => insert('a'));
  transaction.end();
  expect(seen()).toEqual(['a']);
});

test('a write that fails does not undo the other writes of its turn', async () => {
  const { transaction, insert, seen } = open();
  transaction.write(() => insert('a'));
  expect(() => transaction.write(() => insert('a'))).toThrow('UNIQUE');
  transaction.write(() => insert('b'));
  await transaction.done();
  expect(seen()).toEqual(['a', 'b']);
});

test('a commit that fails rejects the promise of its turn, and the next turn can write', async () => {
  const { database, transaction, insert, seen } = open();
  transaction.write(() => insert('a'));
  database.exec('ROLLBACK');
  await expect(transaction.done()).rejects.toThrow('no transaction is active');
  transaction.write(() => insert('b'));
  await transaction.done();
  expect(seen()).toEqual(['b']);
});
