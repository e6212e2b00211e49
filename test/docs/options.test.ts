import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { readDeploymentOptions } from '../../lib/deployment-options.ts';
import { allCode, allDocuments, type Document, readDocument, tableRows } from './documents.ts';

const [, shape = ''] =
  /const OPTIONS = \{([\s\S]*?)\n\};/.exec(readFileSync('lib/deployment-options.ts', 'utf8')) ?? [];
const NAMES = [...shape.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name);

type Option = { readonly name: string; readonly value: string };

/** Returns the options that the code of a document passes with `-c`. A placeholder has no value. */
function optionsIn(document: Document): readonly Option[] {
  return allCode(document).flatMap((code) =>
    [...code.matchAll(/(?<!\w)-c (\w+)=(?:<[^>]*>|…|([\w.:/-]*))/g)].map(([, name = '', value = '']) => ({
      name,
      value,
    })),
  );
}

/** Returns why the app refuses the options of a document. */
function refusedOptions(document: Document): readonly string[] {
  return optionsIn(document).flatMap(({ name, value }) => {
    if (!NAMES.includes(name)) return [`${document.path}: -c ${name} is unknown`];
    if (value === '') return [];
    try {
      readDeploymentOptions(new App({ context: { [name]: value } }).node);
      return [];
    } catch (error) {
      // A document may explain an option without the others that it needs.
      if (String(error).includes('also needs')) return [];
      return [`${document.path}: ${String(error)}`];
    }
  });
}

test('the app accepts every option that a document passes with -c', () => {
  const documents = allDocuments();
  expect(documents.flatMap(optionsIn).length).toBeGreaterThan(10);
  expect(documents.flatMap(refusedOptions)).toEqual([]);
});

test('finds an unknown option and a value that the app refuses', () => {
  const text = '`npx cdk deploy -c canaries=true -c deliveryConcurrency=1 -c stackName=Trial -c webAclArn=…`';
  expect(refusedOptions({ path: 'x.md', text })).toEqual([
    'x.md: -c canaries is unknown',
    expect.stringContaining('-c deliveryConcurrency: must be at least 2'),
  ]);
});

test('docs/deploying.md explains every option, and no other', () => {
  const rows = tableRows(
    readDocument('docs/deploying.md'),
    '| Option | Default | What it does, and who needs it | Price |',
  );
  const explained = rows.flatMap(([options = '']) => [...options.matchAll(/`(\w+)=/g)].map(([, name = '']) => name));
  expect([...new Set(explained)].sort()).toEqual([...NAMES].sort());
  expect(rows.filter(([, , , price = '']) => price === '')).toEqual([]);
});
