import { globSync, readFileSync } from 'node:fs';
import { readDocument } from './documents.ts';

const runbook = readDocument('docs/runbook.md');
const constructs = globSync('lib/*.ts').map((path) => readFileSync(path, 'utf8'));

test('every graph that the runbook names is on the dashboard', () => {
  const titles = constructs.flatMap((text) =>
    [...text.matchAll(/^ +'?([A-Z][^'\n]*?)'?: \[/gm)].map(([, title = '']) => title),
  );
  const named = [...runbook.text.matchAll(/graph \*([^*]+)\*|(?<!\*)\*(Attempts by outcome)\*/g)].map(
    ([, graph, attempts]) => graph ?? attempts ?? '',
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !titles.some((title) => title.startsWith(name)))).toEqual([]);
});
