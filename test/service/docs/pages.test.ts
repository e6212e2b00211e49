import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { App } from 'aws-cdk-lib';
import { tableMarkdown } from '../../../bench/report.ts';
import { WHAT_BREAKS_FIRST } from '../../../bench/simulation/published-limits.ts';
import { OPTION_NAMES, PROP_NAMES, readDeploymentOptions } from '../../../lib/deployment-options.ts';
import { hashOfFiles } from '../../../lib/hash-of-files.ts';
import { withConstruct } from '../../../scripts/construct-readme.ts';
import { IDLE, IN_SHORT, withCosts } from '../../../scripts/costs.ts';
import { thirdPartyNotices } from '../../../scripts/third-party-notices.ts';
import { KEYS } from '../../../src/adapters/dynamodb/configuration-items.ts';
import {
  allCode,
  allDocuments,
  anchors,
  type Document,
  inlineCode,
  links,
  readDocument,
  tableRows,
} from '../../unit/docs/documents.ts';
import { synthesize } from '../lib/synthesized.ts';

const documents = allDocuments();

/** Returns the links whose file or anchor does not exist. It does not open addresses of other sites. */
function brokenLinks(document: Document): readonly string[] {
  return links(document).filter((link) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? document.path : normalize(join(dirname(document.path), file));
    if (!existsSync(path)) return true;
    if (anchor === undefined) return false;
    if (statSync(path).isDirectory() || !path.endsWith('.md')) return true;
    const target = file === '' ? document : readDocument(path);
    return !anchors(target).has(anchor);
  });
}

test('every link and anchor exists', () => {
  const broken = documents.flatMap((document) => brokenLinks(document).map((link) => `${document.path}: ${link}`));
  expect(broken).toEqual([]);
});

test('every document of docs/ is in its index', () => {
  const listed = new Set(links(readDocument('docs/README.md')).map((link) => link.split('#')[0]));
  const missing = documents
    .map(({ path }) => path)
    .filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md')
    .filter((path) => !listed.has(path.slice('docs/'.length)));
  expect(missing).toEqual([]);
});

const FOLDERS =
  /^(bench|bin|cli|dashboard|docs|examples|lambdas|lib|local|packages|scripts|src|test|widget)\/[\w./-]*$/;
const FILE_NAME = /^[\w-]+(?:\.[\w-]+)*\.ts$/;
const sourceFiles = globSync(
  '{bench,bin,cli,dashboard,examples,lambdas,lib,local,packages,scripts,src,test,widget}/**/*.ts',
  {
    exclude: (path) => path.includes('node_modules'),
  },
);
const fileNames = new Set(sourceFiles.map((path) => basename(path)));

test('every file that is named exists', () => {
  const missing = documents.flatMap((document) =>
    inlineCode(document)
      .filter((code) => (FOLDERS.test(code) ? !existsSync(code) : FILE_NAME.test(code) && !fileNames.has(code)))
      .map((code) => `${document.path}: ${code}`),
  );
  expect(missing).toEqual([]);
});

const { text } = readDocument('docs/architecture.md');

const deployed = Object.values(synthesize('production with every option').findResources('AWS::Lambda::Function')).map(
  ({ Properties }) => Properties,
);
const rows = [...text.matchAll(/^\| `([a-z-]+)` \|.*\| (\d+) s(?:: [^|]*)? \| (\d+) \|$/gm)].map(
  ([, name = '', timeout, memory]) => ({ name, timeout: Number(timeout), memory: Number(memory) }),
);

test('the table of functions has each function once, with its timeout and memory size', () => {
  const expected = globSync('*', { cwd: 'lambdas' }).map((name) => {
    // The id of a role contains the function's folder name without hyphens.
    const role = `${name.replaceAll('-', '')}role`;
    const found = deployed.find(({ Role }) => JSON.stringify(Role).toLowerCase().includes(role));
    return { name, timeout: found?.Timeout, memory: found?.MemorySize };
  });
  expect(rows).toHaveLength(expected.length);
  expect(rows).toEqual(expect.arrayContaining(expected));
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
    KEYS.creation('<org>', '<sub>', '<key>'),
    KEYS.domain('<entry>', '<site>'),
    KEYS.audit({ org_id: '<org>', at: '<time>', entity_id: '<entity>', version: 1, operation: '<operation>' }),
  ];
  expect(keys).toHaveLength(Object.keys(KEYS).length);
  for (const { pk, sk } of keys) expect(text).toContain(`\`${pk}\` / \`${sk.replace('#1#', '#<version>#')}\``);
});

const costs = readFileSync('docs/costs.md', 'utf8');

test('docs/costs.md has the costs of the current price table (node scripts/costs.ts)', () => {
  expect(withCosts(costs)).toBe(costs);
});

test('the resources that cost money without requests are those of the template', () => {
  const template = synthesize();
  template.resourceCountIs('AWS::SecretsManager::Secret', IDLE.secrets);
  template.resourceCountIs('AWS::Lambda::EventSourceMapping', IDLE.queues);
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  // An alarm over an expression is billed by the metrics in it.
  const metrics = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) =>
      (Properties.Metrics ?? [{ MetricStat: {} }]).filter(
        (one: { MetricStat?: object }) => one.MetricStat !== undefined,
      ).length,
  );
  expect(metrics.reduce((all, some) => all + some, 0)).toBe(IDLE.alarmMetrics);
});

test('the page of the construct has every prop, output and resource (node scripts/construct-readme.ts)', () => {
  const readme = readFileSync('packages/cdk/README.md', 'utf8');
  const resources: Record<string, { Type: string }> = synthesize().toJSON().Resources;
  const types = Object.values(resources).map(({ Type }) => Type);
  expect(withConstruct(readme, types)).toBe(readme);
  for (const name of PROP_NAMES)
    expect(readme).toMatch(new RegExp(`\\| \`${name}\` \\| \`[^|]+.*\\| [^|]+ \\| [^|]+ \\| [^|]+ \\|`));
});

test('README and the comparison say the same in whole dollars', () => {
  const whole = (amount: number) => `$${Math.round(amount)}`;
  const text = readFileSync('README.md', 'utf8');
  expect(text).toContain(`about ${whole(IN_SHORT.idle)} a month when idle`);
  const range = `${whole(IN_SHORT.muchTraffic)} to ${whole(IN_SHORT.littleTraffic)}`;
  for (const page of [text, readFileSync('docs/comparison.md', 'utf8')]) expect(page).toContain(range);
});

/** The props of the construct that say something of its service, and the options that only the stack has. */
const PROPS = PROP_NAMES.filter((name) => name !== 'commit' && name !== 'addressOfFiles');

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
    if (!OPTION_NAMES.includes(name)) return [`${document.path}: -c ${name} is unknown`];
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

test('docs/deploying.md explains every option and prop, and no other', () => {
  const rows = tableRows(
    readDocument('docs/deploying.md'),
    '| Option | Default | What it does, and who needs it | Price |',
  );
  const namesOf = ([options = '']: readonly string[]) =>
    [...options.matchAll(/`(\w+)[=`]/g)].map(([, name = '']) => name);
  const explained = rows.flatMap(namesOf);
  expect([...new Set(explained)].sort()).toEqual([...new Set([...OPTION_NAMES, ...PROPS])].sort());
  const pricesOf = (rowPrice: (price: string) => boolean) =>
    rows.filter(([, , , price = '']) => rowPrice(price)).flatMap(namesOf);
  const costRows = tableRows(readDocument('docs/costs.md'), '| Option | Cost |');
  const costsOf = (isFree: boolean) =>
    costRows
      .filter(([, cost]) => (cost === 'nothing by themselves') === isFree)
      .flatMap(([options = '']) => [...options.matchAll(/`-c (\w+)=/g)].map(([, name = '']) => name));
  expect(pricesOf((price) => price.includes('(costs.md#options)')).sort()).toEqual(costsOf(false).sort());
  expect(pricesOf((price) => price === 'free')).toEqual(expect.arrayContaining(costsOf(true)));
  expect(pricesOf((price) => !/^free$|'s$|^\$|\(costs\.md/.test(price))).toEqual([]);
});

test('every graph that the runbook names is on the dashboard', () => {
  const template = synthesize('production with every option');
  const dashboard = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'));
  const { text } = readDocument('docs/runbook.md');
  const named = [...text.matchAll(/graph \*([^*]+)\*|(?<!\*)\*(Attempts by outcome)\*/g)].map(
    ([, graph, attempts]) => graph ?? attempts ?? '',
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !dashboard.includes(`\\"title\\":\\"${name}`))).toEqual([]);
});

test.each(WHAT_BREAKS_FIRST)(
  'docs/scaling.md has the current counts and limits of $columns.0 (npm run simulate)',
  (table) => {
    expect(readFileSync('docs/scaling.md', 'utf8')).toContain(tableMarkdown(table));
  },
);

const PERMISSIVE = /^(MIT|MIT-0|Apache-2\.0|BSD-[23]-Clause|ISC|0BSD)$/;

/** What changes the packages in the bundles, which are made once for all runs in between. */
const BUNDLED = [
  '{cli,dashboard,lambdas,lib,src,widget}/**/*.{ts,tsx,mjs,css}',
  'package-lock.json',
  'scripts/third-party-notices.ts',
];

test('the notices list the packages that the bundles contain (node scripts/third-party-notices.ts)', async () => {
  const file = join('node_modules/.cache/va-wave-notices', hashOfFiles('.', BUNDLED));
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await thirdPartyNotices());
  }
  const notices = readFileSync(file, 'utf8');
  expect(readFileSync('THIRD-PARTY-NOTICES.md', 'utf8')).toBe(notices);
  const licenses = [...notices.matchAll(/^\| \S+ \| \d\S* \| (.+) \|$/gm)].map(([, license]) => license ?? '');
  expect(licenses.length).toBeGreaterThan(20);
  expect(licenses.filter((license) => !PERMISSIVE.test(license))).toEqual([]);
});

test('docs/development.md says what each folder contains', () => {
  const folders = tableRows(readDocument('docs/development.md'), '| Folder | Contents |').map(([folder = '']) =>
    folder.replaceAll('`', ''),
  );
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => globSync(folder).length === 0)).toEqual([]);
});
