import { globSync } from 'node:fs';
import { KEYS } from '../../src/adapters/dynamodb/configuration-keys.ts';
import { synthesize } from '../lib/synthesized.ts';
import { readDocument } from './documents.ts';

const { text } = readDocument('docs/architecture.md');

/** Timeout in seconds and memory in MB of each function, by the description that the template gives it. */
const deployed = Object.values((await synthesize()).findResources('AWS::Lambda::Function')).map(
  ({ Properties }) => Properties,
);
const rows = [...text.matchAll(/^\| `([a-z-]+)` \|.*\| (\d+) s(?:: [^|]*)? \| (\d+) \|$/gm)].map(
  ([, name = '', timeout, memory]) => ({ name, timeout: Number(timeout), memory: Number(memory) }),
);

test('the table of functions has each function once', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(globSync('*', { cwd: 'lambdas' }).sort());
});

test('it says their timeouts and sizes', () => {
  // The folder's name in the words of a construct's id, which the resource of its role repeats.
  const constructs = new Map(
    deployed.map(({ Role, Timeout, MemorySize }) => [
      JSON.stringify(Role).toLowerCase(),
      { timeout: Timeout, memory: MemorySize },
    ]),
  );
  for (const { name, timeout, memory } of rows) {
    const [, found] = [...constructs].find(([role]) => role.includes(`${name.replaceAll('-', '')}role`)) ?? [];
    expect({ name, ...found }).toEqual({ name, timeout, memory });
  }
});

test('the table of data has every key of the configuration table', () => {
  const keys = [
    KEYS.organization('<org>'),
    KEYS.organizationSite('<org>', '<site>'),
    KEYS.action('<org>', '<action>'),
    KEYS.actionOwner('<action>'),
    KEYS.assistant('<site>'),
    KEYS.slug('<site>', '<trigger>', '<slug>'),
    KEYS.member('<org>', '<sub>'),
    KEYS.memberOrganization('<sub>', '<org>'),
    KEYS.leftLog('<org>', '<site>', '<action>'),
    KEYS.domain('<entry>', '<site>'),
    KEYS.audit('<org>', '<time>', '<entity>', 1),
  ];
  expect(keys).toHaveLength(Object.keys(KEYS).length);
  for (const { pk, sk } of keys) expect(text).toContain(`\`${pk}\` / \`${sk.replace(/#1$/, '#<version>')}\``);
});
