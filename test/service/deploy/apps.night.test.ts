import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { missingProgram, testWhere } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { readDocument, samples } from '../../unit/docs/documents.ts';
import { packedCdk } from '../packages/cdk/packed-cdk.ts';

/** Apps of other makes, with packages of the registry, as the README of the construct says that they work. */

const run = promisify(execFile);
const [installedCdk = '', installedConstructs = ''] = ['aws-cdk-lib', 'constructs'].map(versionOf);
const { peerDependencies } = JSON.parse(readFileSync('packages/cdk/package.json', 'utf8'));
const [oldestCdk = '', oldestConstructs = ''] = ['aws-cdk-lib', 'constructs'].map((name) =>
  String(peerDependencies[name]).replace('^', ''),
);
const BEFORE_CDK = oldestCdk.replace(/\.(\d+)\./, (_, minor: string) => `.${Number(minor) - 1}.`);
const newest = [`aws-cdk-lib@${installedCdk}`, `constructs@${installedConstructs}`];
const [stageOfReadme] = samples(readDocument('packages/cdk/README.md')).filter(
  ({ heading }) => heading === 'A Stage of a pipeline',
);

const STACK = `const app = new App();
const stack = new Stack(app, 'Chat', { env: { account: '1'.repeat(12), region: 'eu-west-1' } });
const chat = new VaWave(stack, 'VaWave', { stage: 'dev', bus: new EventBus(stack, 'Bus'), alarmTopic: new Topic(stack, 'Alarms') });
if (!chat.grantPutEvents(new AccountPrincipal('2'.repeat(12))).success) throw new Error('Nothing was granted');
app.synth();`;
const imported = (va = '@va-wave/cdk') => `import { App, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { VaWave } from '${va}';
`;
const required = `const { App, Stack } = require('aws-cdk-lib');
const { EventBus } = require('aws-cdk-lib/aws-events');
const { AccountPrincipal } = require('aws-cdk-lib/aws-iam');
const { Topic } = require('aws-cdk-lib/aws-sns');
const { VaWave } = require('@va-wave/cdk');
`;
const OWN = { '@va-wave/cdk': 'file:./va-wave-cdk.tgz' };
const member = (name: string, cdk: string, dependencies: object) => ({
  [name === '' ? 'package.json' : `packages/${name}/package.json`]: JSON.stringify({
    ...{ name: name || 'app', version: '1.0.0', private: true, type: 'module', exports: './index.mjs' },
    // Other registries may lack a package that the CDK needs for its own checks alone.
    ...(name === '' && { resolutions: { '@aws/cloudformation-validate': '1.9.0-beta' } }),
    dependencies: { ...dependencies, 'aws-cdk-lib': cdk, constructs: installedConstructs },
  }),
});

type Made = {
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** In bash, with the tarball as `$TARBALL`. */
  readonly commands: string;
  /** The file of the template. */
  readonly template?: string;
  readonly refused?: string;
};
const TEMPLATE = 'out/Chat.template.json';

const APPS: Readonly<Record<string, Made>> = {
  'the oldest peers': {
    packages: [`aws-cdk-lib@${oldestCdk}`, `constructs@${oldestConstructs}`],
    files: { 'app.mjs': imported() + STACK },
    commands: 'node app.mjs',
  },
  'an older aws-cdk-lib': {
    packages: ['--legacy-peer-deps', `aws-cdk-lib@${BEFORE_CDK}`, `constructs@${oldestConstructs}`],
    files: { 'app.mjs': imported() + STACK },
    commands: 'node app.mjs',
    refused: `aws-cdk-lib: must be ${oldestCdk} or newer, and is ${BEFORE_CDK}`,
  },
  CommonJS: { packages: newest, files: { 'app.cjs': required + STACK }, commands: 'node app.cjs' },
  'ts-node, with the compiler options of cdk init': {
    packages: [...newest, 'ts-node@10.9.2', 'typescript@5.9.3', '@types/node@24.19.2'],
    files: {
      'app.ts': imported() + STACK,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'ES2022',
          module: 'NodeNext',
          moduleResolution: 'NodeNext',
          strict: true,
          declaration: true,
        },
      }),
    },
    commands: 'npx ts-node --prefer-ts-exts app.ts',
  },
  'pnpm, with two copies of aws-cdk-lib': {
    packages: [],
    files: {
      'tool/package.json': '{}',
      'pnpm-workspace.yaml': "packages: ['packages/*']\n",
      ...member('chat', oldestCdk, { '@va-wave/cdk': 'file:../../va-wave-cdk.tgz' }),
      'packages/chat/index.mjs': "export { VaWave } from '@va-wave/cdk';\n",
      ...member('app', installedCdk, { chat: 'workspace:*' }),
      'packages/app/app.mjs': imported('chat') + STACK,
    },
    commands: `npm install --prefix tool --ignore-scripts --no-audit --no-fund pnpm@12.21.0 && cp "$TARBALL" va-wave-cdk.tgz &&
      node tool/node_modules/pnpm/bin/pnpm.mjs install && cd packages/app && node app.mjs`,
    template: `packages/app/${TEMPLATE}`,
  },
  "Yarn's Plug'n'Play": {
    packages: [],
    files: {
      ...member('', installedCdk, OWN),
      'tool/package.json': '{}',
      'yarn.lock': '',
      'app.mjs': imported() + STACK,
    },
    commands: `npm install --prefix tool --ignore-scripts @yarnpkg/cli-dist@4.18.1 && cp "$TARBALL" va-wave-cdk.tgz &&
      yarn() { node tool/node_modules/@yarnpkg/cli-dist/bin/yarn.js "$@"; } && yarn install --no-immutable && yarn node app.mjs && yarn va-wave event list`,
  },
  Bun: {
    packages: [],
    files: { ...member('', installedCdk, OWN), 'tool/package.json': '{}', 'app.ts': imported() + STACK },
    commands: `npm install --prefix tool --ignore-scripts bun@1.4.5 && cp "$TARBALL" va-wave-cdk.tgz &&
      bun() { tool/node_modules/@oven/bun-*/bin/bun "$@"; } && bun install --ignore-scripts && bun app.ts && bun x --bun va-wave event list`,
  },
  'a Stage of a pipeline': {
    packages: newest,
    files: {
      'chat.mjs': stageOfReadme?.code ?? '',
      'app.mjs': `import { App, Stack } from 'aws-cdk-lib'; import { Repository } from 'aws-cdk-lib/aws-codecommit';
        import { CodePipeline, CodePipelineSource, ShellStep } from 'aws-cdk-lib/pipelines'; import { Chat } from './chat.mjs';
        const stack = new Stack(new App(), 'Pipeline', { env: { account: '1'.repeat(12), region: 'eu-west-1' } });
        const input = CodePipelineSource.codeCommit(Repository.fromRepositoryName(stack, 'Sources', 'sources'), 'main');
        const synth = new ShellStep('Synth', { input, commands: ['npx cdk synth'] });
        const pipeline = new CodePipeline(stack, 'Pipeline', { synth, crossAccountKeys: true });
        const chat = new Chat(stack, 'Prod', { env: { account: '2'.repeat(12), region: 'us-west-2' }, settings: { canary: true } });
        pipeline.addStage(chat, { post: [new ShellStep('Check', { commands: ['true'], envFromCfnOutputs: { BASE_URL: chat.address } })] });
        stack.node.root.synth();`,
    },
    commands: 'node app.mjs && mv out/assembly-*/*.template.json out/Chat.template.json',
  },
  'an app that is bundled': {
    packages: newest,
    files: { 'app.ts': imported() + STACK },
    commands: `"${resolve('node_modules/.bin/esbuild')}" app.ts --bundle --platform=node --external:aws-cdk-lib --external:constructs --outfile=app.cjs && node app.cjs`,
  },
};

testWhere(missingProgram('A registry of npm'), 'apps of other makes').each(Object.entries(APPS))(
  '%s',
  async (_, { packages, files, commands, template = TEMPLATE, refused }) => {
    const folder = temporaryFolder();
    for (const [path, text] of Object.entries({ 'package.json': '{"private":true}', ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const TARBALL = await packedCdk();
    const env = { ...process.env, TARBALL, CDK_OUTDIR: 'out', npm_config_audit: 'false', npm_config_fund: 'false' };
    if (packages.length > 0) await run('npm', ['install', ...packages, TARBALL], { cwd: folder, env });
    const ran = run('bash', ['-c', commands], { cwd: folder, env });
    if (refused !== undefined) {
      await expect(ran).rejects.toMatchObject({ stderr: expect.stringContaining(`${refused}\n`) });
      return;
    }
    await ran;
    const { Resources } = JSON.parse(readFileSync(join(folder, template), 'utf8'));
    expect(Object.keys(Resources).length).toBeGreaterThan(150);
  },
  600_000,
);

function versionOf(name: string): string {
  return JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
}
