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
    /** What another process would find. */
    seen: () =>
      other
        .prepare('SELECT name FROM things')
        .all()
        .map(({ name }) => name),
  };
}

test('what is written in one turn is kept at its end, together', async () => {
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

test('nothing written is nothing to wait for', async () => {
  await expect(open().transaction.done()).resolves.toBeUndefined();
});

test('an end keeps what is open', () => {
  const { transaction, insert, seen } = open();
  transaction.end();
  transaction.write(() => insert('a'));
  transaction.end();
  expect(seen()).toEqual(['a']);
});

test('a write that fails leaves the others of its turn', async () => {
  const { transaction, insert, seen } = open();
  transaction.write(() => insert('a'));
  expect(() => transaction.write(() => insert('a'))).toThrow('UNIQUE');
  transaction.write(() => insert('b'));
  await transaction.done();
  expect(seen()).toEqual(['a', 'b']);
});

test('a commit that fails is heard of by who waits for it, and the next turn writes again', async () => {
  const { database, transaction, insert, seen } = open();
  transaction.write(() => insert('a'));
  database.exec('ROLLBACK');
  await expect(transaction.done()).rejects.toThrow('no transaction is active');
  transaction.write(() => insert('b'));
  await transaction.done();
  expect(seen()).toEqual(['b']);
});
