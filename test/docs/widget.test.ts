import { readFileSync } from 'node:fs';
import { readDocument, tableRows } from './documents.ts';

const page = readDocument('docs/widget.md');
const source = (name: string) => readFileSync(`widget/${name}`, 'utf8');
const withoutQuotes = (cell = '') => cell.replaceAll('`', '');
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/** The names that a pattern with one group captures in a text. */
const namesIn = (text: string, pattern: RegExp) => sorted([...text.matchAll(pattern)].map(([, name = '']) => name));

/** The body of an interface of widget/va-wave.d.ts. */
const declared = (name: string) =>
  new RegExp(`interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source('va-wave.d.ts'))?.[1] ?? '';

test('docs/widget.md has every command, and no other', () => {
  const calls = tableRows(page, '| Call | Effect |').map(([call = '']) => call);
  expect(namesIn(calls.join('\n'), /vaWave\('(\w+)'/g)).toEqual(namesIn(declared('VaWaveCommands'), /^ {2}(\w+)\(/gm));
});

test('it has every event, and no other', () => {
  const rows = tableRows(page, '| Event on `document` (bubbles to `window`) | When |').map(([event = '']) => event);
  expect(namesIn(rows.join('\n'), /`(va-wave:[\w-]+)`/g)).toEqual(
    namesIn(declared('VaWaveEvents'), /'(va-wave:[\w-]+)'/g),
  );
});

test('it has everything that a conversation view receives, and nothing else', () => {
  const rows = tableRows(page, '| `context` | Meaning |').map(([member = '']) => member);
  const members = namesIn(declared('VaWaveConversationContext'), /^ {2}(?:readonly )?(\w+)[(:]/gm);
  expect(namesIn(rows.join('\n'), /`(\w+)(?:\(\))?`/g)).toEqual(members);
});

test('it has every attribute of the tag, and no other', () => {
  const rows = tableRows(page, '| Attribute | Value |').map(([attribute]) => withoutQuotes(attribute));
  const [, dataset = ''] = /const \{([^}]*)\} = script\.dataset/.exec(source('page.ts')) ?? [];
  const attributes = namesIn(dataset, /(\w+)(?: = '')?/g).map(
    (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
  expect(sorted(rows)).toEqual(attributes);
});

test('it has every custom property with its default', () => {
  const rows = tableRows(page, '| Property | Default | Effect |');
  const styles = source('styles.css');
  const stated = rows.flatMap(([names = '', value]) =>
    [...names.matchAll(/`(--[\w-]+)`/g)].map(([, name = '']) => ({ name, value: withoutQuotes(value) })),
  );
  expect(stated.map(({ name }) => name).sort()).toEqual(namesIn(styles, /var\((--va-wave-[\w-]+)/g));
  const literal = stated.filter(({ name }) => name !== '--va-wave-font');
  expect(literal.filter(({ name, value }) => !styles.includes(`var(${name}, ${value})`))).toEqual([]);
});
