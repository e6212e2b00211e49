import ipaddr from 'ipaddr.js';
import { addressProblem } from '../../src/adapters/outbound/address-rule.ts';
import { readDocument, tableRows } from './documents.ts';

const page = readDocument('docs/security.md');
const head = '| Address | va-wave | smokescreen | Svix | request-filtering-agent |';
const ISATAP = '2606:4700::5efe:7f00:1';

/** The addresses that a row names. A block stands for its first address. */
function addressesOf(cell: string): readonly string[] {
  const text = cell.replace('…:0:5efe:a.b.c.d', ISATAP);
  return [...text.matchAll(/\d+(?:\.\d+){3}|[0-9a-f]*(?::[0-9a-f]*){2,}/g)].map(([address]) => address);
}

const rows = tableRows(page, head).map(([cell = '', own, , , agent]) => ({ addresses: addressesOf(cell), own, agent }));

test('docs/security.md says which addresses the guard refuses', () => {
  expect(rows.length).toBeGreaterThan(15);
  for (const { addresses, own } of rows) {
    expect(addresses).not.toEqual([]);
    const problems = addresses.map((address) => [address, addressProblem(address) === undefined ? 'dials' : 'refused']);
    expect(problems).toEqual(addresses.map((address) => [address, own]));
  }
});

test('it says which addresses pass the rule of request-filtering-agent: unicast by ipaddr.js', () => {
  for (const { addresses, agent } of rows) {
    const ranges = addresses.map((address) => [
      address,
      ipaddr.parse(address).range() === 'unicast' ? 'dials' : 'refused',
    ]);
    expect(ranges).toEqual(addresses.map((address) => [address, agent]));
  }
});

test('it names the commit and the date of each source that it compares with', () => {
  const sources = tableRows(page, '| Project | Commit | Date | File |');
  expect(sources).toHaveLength(head.split('|').length - 4);
  for (const [, commit, date] of sources) {
    expect(commit).toMatch(/^`[0-9a-f]{7}`$/);
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});
