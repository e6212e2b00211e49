import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * Writes the import rules of this table into biome.json: `node scripts/import-rules.ts`. A file may import its own folder, and what its last
 * row names: folders of this repository (`/*` for the files of a folder alone) and packages. `node:*` is every module of Node but `module`.
 */
const WIRE = 'src/contract src/deployment';
const SERVICE = `src/adapters ${WIRE} src/domain`;
const PURE = 'ipaddr.js re2js zod node:crypto';
const CDK = 'aws-cdk-lib';
const FILES = 'node:fs node:path node:url';
const NETWORK = 'node:crypto node:dns/promises node:http node:https node:net node:stream node:tls';
const ADAPTERS = `@aws-sdk/* ipaddr.js jose zod ${NETWORK} node:timers/promises node:util node:zlib`;
const ON_ONE_MACHINE = `@aws-sdk/client-cognito-identity-provider @aws-sdk/client-eventbridge @aws-sdk/client-lambda ${CDK} commander zod node:*`;
const LOCAL = `local local/cloud cli examples/assistant-runtime lib packages/receiver/src ${SERVICE}`;
const CLOUD = `@aws/lambda-invoke-store ${CDK} fauxqs jose oidc-provider undici zod node:*`;
const LAMBDA = '@aws-lambda-powertools/logger @aws-lambda-powertools/metrics node:crypto';
const PAGES = '@cloudscape-design/components oidc-client-ts react react-dom';

const TABLE: readonly (readonly [files: string, folders: string, packages: string])[] = [
  ['bin/**', 'lib', `${CDK} node:child_process node:fs`],
  ['lib/**', WIRE, `${CDK} constructs esbuild #bundles zod node:child_process node:crypto node:util ${FILES}`],
  ['lambdas/*/**', `${SERVICE} src/functions`, LAMBDA],
  ['src/contract/**', '', 'zod'],
  ['src/deployment/**', '', ''],
  ['src/domain/*', 'src/contract', PURE],
  [
    'src/domain/actions/**',
    'src/domain/* src/domain/auth src/domain/conversations src/domain/delivery src/domain/organizations src/contract',
    PURE,
  ],
  ['src/domain/auth/**', 'src/domain/* src/contract', PURE],
  ['src/domain/conversations/**', 'src/domain/* src/domain/auth src/domain/events src/contract', PURE],
  ['src/domain/delivery/**', 'src/domain/* src/contract', PURE],
  ['src/domain/events/**', 'src/domain/* src/domain/delivery src/domain/organizations src/contract', PURE],
  ['src/domain/organizations/**', 'src/domain/* src/domain/auth src/contract', PURE],
  ['src/domain/usage/**', 'src/domain/* src/domain/auth src/domain/delivery src/contract', PURE],
  [
    'src/functions/**',
    SERVICE,
    `${LAMBDA} @aws-lambda-powertools/batch @aws-sdk/client-secrets-manager @middy/core @middy/http-security-headers aws-lambda zod`,
  ],
  ['src/adapters/*', SERVICE, `${ADAPTERS} undici #aws-transport`],
  ['src/adapters/*/**', SERVICE, `${ADAPTERS} #network-rule`],
  ['widget/**', 'src/contract widget/texts', ''],
  ['dashboard/src/*', 'dashboard/src src/contract widget', PAGES],
  ['dashboard/src/*/**', 'dashboard/src src/contract widget', PAGES],
  ['dashboard/*', 'dashboard/src', `marked vite ${FILES}`],
  ['local/cloud/*', 'local/cloud', CLOUD],
  ['local/cloud/*/**', 'local/cloud', `${CLOUD} node:module`],
  ['local/*', `${LOCAL} local/demo`, ON_ONE_MACHINE],
  ['local/demo/*', LOCAL, `${ON_ONE_MACHINE} express`],
  ['cli/*', `cli packages/receiver/src ${SERVICE}`, 'commander string-width zod node:* ../package.json'],
  ['cli/va-wave.mjs', '', 'node:* node:module'],
  ['cli/*/**', `cli packages/receiver/src ${SERVICE}`, 'commander zod node:*'],
  ['cli/commands/** !cli/commands/receive.ts', `cli/* cli/operations ${WIRE} src/domain`, 'commander zod'],
  ['cli/operations/**', `${WIRE} src/domain`, '../command.ts node:crypto zod'],
  ['packages/receiver/src/**', '', 'node:crypto node:http'],
  ['packages/cdk/src/**', 'src/deployment', 'node:fs node:module node:path'],
  [
    'examples/assistant-runtime/**',
    '',
    '@aws-sdk/client-bedrock-runtime @aws-sdk/client-eventbridge @aws-sdk/client-lambda node:*',
  ],
  ['examples/conversation-view/**', '', ''],
  ['examples/customer-backend/**', '', '@va-wave/receiver express node:*'],
  ['examples/platform/**', '', `@va-wave/cdk ${CDK}`],
  ['examples/receivers/**', '', '@va-wave/receiver express node:*'],
  ['docs/site/**', '', `marked node:child_process ${FILES}`],
  ['test/fakes/**', SERVICE, '@aws-sdk/* node:*'],
];

/** What the domain may import of node:crypto. */
const WITHOUT_RANDOMNESS =
  '(?:KeyObject|X509Certificate|createCipheriv|createDecipheriv|createHash|createHmac|createSecretKey|hkdfSync|timingSafeEqual)';

const words = (text: string) => text.split(' ').filter((word) => word !== '');

/** Returns the patterns by which a file of `folder` imports the files of `importedFolder`: its own folder, a folder above, or another. */
function patternsOf(importedFolder: string, folder: string): readonly string[] {
  const onlyFiles = importedFolder.endsWith('/*');
  const way = posix.relative(folder, onlyFiles ? importedFolder.slice(0, -2) : importedFolder);
  if (onlyFiles) return [`${way}/*`];
  if (way === '') return ['./*/**'];
  if (/^[./]+$/.test(way)) return [`${way}/*`, `${way}/*/*`];
  return [`${way.startsWith('.') ? way : `./${way}`}/**`];
}

/** Returns the patterns that allow a package, with its subpaths unless the name is that of one module. */
function packagePatterns(name: string): readonly string[] {
  if (name === 'node:*') return ['!node:*', '!node:*/**', 'node:module'];
  return /^[.#]|^node:|\*$/.test(name) ? [`!${name}`] : [`!${name}`, `!${name}/**`];
}

function ruleOf([files, folders, packages]: (typeof TABLE)[number]) {
  const includes = words(files);
  const folder = posix.dirname(includes[0] ?? '');
  const allowedPatterns = ['./*', ...words(folders).flatMap((one) => patternsOf(one, folder))].map(
    (pattern) => `!${pattern}`,
  );
  const message = `The row ${includes[0]} of scripts/import-rules.ts does not allow this.`;
  const group = ['**', ...allowedPatterns, ...words(packages).flatMap(packagePatterns)];
  const randomness = {
    group: ['node:crypto'],
    importNamePattern: WITHOUT_RANDOMNESS,
    invertImportNamePattern: true,
    message: 'The domain takes randomness as an argument.',
  };
  const patterns = [{ group, message }, ...(folder.startsWith('src/domain') ? [randomness] : [])];
  return { includes, linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } } } };
}

const FILE = new URL('../biome.json', import.meta.url);
/** Only the rules of the table have patterns. */
const isOfTable = (override: object) => JSON.stringify(override).includes('"patterns"');

/** Returns biome.json with the rules of the table in the place of those that it has. */
export function withImportRules(text: string): string {
  const configuration: { overrides: object[] } = JSON.parse(text);
  const { overrides } = configuration;
  const at = overrides.findIndex(isOfTable);
  const own = overrides.filter((override) => !isOfTable(override));
  configuration.overrides = [...own.slice(0, at), ...TABLE.map(ruleOf), ...own.slice(at)];
  return `${JSON.stringify(configuration, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(FILE, withImportRules(readFileSync(FILE, 'utf8')));
