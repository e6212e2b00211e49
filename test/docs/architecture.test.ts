import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { KEYS } from '../../src/adapters/dynamodb/configuration-items.ts';
import { synthesize } from '../lib/synthesized.ts';
import { readDocument } from './documents.ts';

const { text } = readDocument('docs/architecture.md');

/** Timeout in seconds and memory in MB of each function, by the description that the template gives it. */
const deployed = Object.values(
  (await synthesize('production with every option')).findResources('AWS::Lambda::Function'),
).map(({ Properties }) => Properties);
const rows = [...text.matchAll(/^\| `([a-z-]+)` \|.*\| (\d+) s(?:: [^|]*)? \| (\d+) \|$/gm)].map(
  ([, name = '', timeout, memory]) => ({ name, timeout: Number(timeout), memory: Number(memory) }),
);

test('the table of functions has each function once', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(globSync('*', { cwd: 'lambdas' }).sort());
});

test('the table has the timeout and memory size of each function', () => {
  // The id of a role contains the function's folder name without hyphens.
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
    KEYS.logOfDeletedAction('<org>', '<site>', '<action>'),
    KEYS.domain('<entry>', '<site>'),
    KEYS.audit('<org>', '<time>', '<entity>', 1),
  ];
  expect(keys).toHaveLength(Object.keys(KEYS).length);
  for (const { pk, sk } of keys) expect(text).toContain(`\`${pk}\` / \`${sk.replace(/#1$/, '#<version>')}\``);
});

/** package.json's `imports` gives it another name in the code: `#network-rule`. */
const NETWORK_RULE = 'src/adapters/outbound/network-rule.ts';

describe('the files that a request passes through', () => {
  function importedBy(entries: readonly string[]): ReadonlySet<string> {
    const reached = new Set(entries);
    for (const path of reached) {
      for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)';/g)) {
        reached.add(posix.join(posix.dirname(path), target));
      }
    }
    return reached;
  }

  test.each([
    ['One session create, file by file', ['lambdas/session-create/handler.ts']],
    ['One event, file by file', ['lambdas/event-router/handler.ts', 'lambdas/dispatcher/handler.ts', NETWORK_RULE]],
  ])('are all imported by the handlers of the section "%s"', (heading, handlers) => {
    const section = text.split('\n## ').find((part) => part.startsWith(heading)) ?? '';
    const files = [...section.matchAll(/\]\(\.\.\/((?:src|lambdas)\/[^)]+)\)/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(8);
    const reached = importedBy(handlers);
    expect(files.filter((path) => !reached.has(path))).toEqual([]);
  });
});
