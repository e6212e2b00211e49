import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, globSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { FUNCTIONS } from '../../../../src/deployment/outputs.ts';
import { printSkipped } from '../../../harness/programs.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { copiedExample } from '../../examples/copied-example.ts';
import { namesIn } from '../../lib/synthesized.ts';
import { OLDER_NODE, packedCdk } from './packed-cdk.ts';

/** Bytes of the tarball: its size and three percent. */
const SIZE = 3_870_000;
const OUTBOUND = ['form-submit', 'dispatcher', 'ai-action', 'usage-report', 'action-test'];

const node = OLDER_NODE ?? process.execPath;
let platform: string;
let installed: string;
const read = (path: string) => readFileSync(join(installed, path), 'utf8');

beforeAll(async () => {
  if (OLDER_NODE === undefined) printSkipped('the package on Node 20', 'Node 20 is missing (npx -p node@20 npm test)');
  platform = await copiedExample('platform', temporaryFolder());
  installed = join(platform, 'node_modules/@va-wave/cdk');
}, 120_000);

/** Runs an app in the copy, and returns its templates by the name of the stack. @param outdir of the app */
function templatesOf(app: string, outdir = temporaryFolder()): Record<string, Template> {
  writeFileSync(join(platform, 'test.mjs'), app);
  execFileSync(node, ['test.mjs'], { cwd: platform, env: { ...process.env, CDK_OUTDIR: outdir } });
  return Object.fromEntries(
    globSync('*.template.json', { cwd: outdir }).map((file) => [
      file.replace('.template.json', ''),
      Template.fromJSON(JSON.parse(readFileSync(join(outdir, file), 'utf8'))),
    ]),
  );
}

describe('the packed package', () => {
  test('has a size within its budget, and needs the CDK alone', async () => {
    const { size } = statSync(await packedCdk());
    expect(size).toBeLessThanOrEqual(SIZE);
    expect(size).toBeGreaterThan(0.9 * SIZE);
    const { dependencies, peerDependencies } = JSON.parse(read('package.json'));
    expect([dependencies, Object.keys(peerDependencies)]).toEqual([undefined, ['aws-cdk-lib', 'constructs']]);
    const loaded = [...read('dist/index.js').matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name);
    expect(loaded.filter((name) => !isBuiltin(name) && !/^(?:aws-cdk-lib\/?.*|constructs)$/.test(name))).toEqual([]);
    for (const file of globSync('dist/**/*.d.ts', { cwd: installed })) {
      const imported = [...read(file).matchAll(/from '([^.'][^']*)'/g)].map(([, name = '']) => name);
      expect(imported.filter((name) => !/^(?:aws-cdk-lib|constructs)/.test(name))).toEqual([]);
    }
  });

  test('has the strict network rule, no other one, and no way to replace it', () => {
    const bundles = FUNCTIONS.map((name) => [name, read(`dist/functions/${name}/index.mjs`)] as const);
    for (const [name, bundle] of bundles) {
      // Every registry lists this address as public, but Azure uses it for its own platform service.
      expect([name, bundle.includes('168.63.129.16')]).toEqual([name, OUTBOUND.includes(name)]);
    }
    const files = globSync('**/*', { cwd: installed }).filter((path) => statSync(join(installed, path)).isFile());
    const hasLocal = files.filter((path) => /VA_WAVE_LOCAL_CA|local\/network-rule|replaceModules/.test(read(path)));
    expect(hasLocal).toEqual([]);
    // The page that alarms name, and those to which it links.
    expect([
      read('dist/index.js').includes('node_modules/@va-wave/cdk/dist/docs'),
      read('dist/docs/runbook.md'),
    ]).toEqual([true, readFileSync('docs/runbook.md', 'utf8')]);
    expect(files).toContain('dist/docs/deploying.md');
    for (const file of ['dist/index.js', 'dist/lib/deployment-options.d.ts']) {
      expect(read(file)).not.toMatch(/network-?rule|replacement|esbuild/i);
    }
    const reach = `try { require('@va-wave/cdk/dist/functions/dispatcher/index.mjs') } catch ({ code }) { console.log(code) }
      console.log(Object.keys(require('@va-wave/cdk')).sort().join())`;
    const answer = execFileSync(node, ['-e', reach], { cwd: platform, encoding: 'utf8' });
    expect(answer).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\nMETRICS,METRICS_NAMESPACE,OUTPUTS,VaWave\n');
  });

  test('declares its props, which a project in TypeScript or checked JavaScript uses', () => {
    const use = `import { VaWave, type VaWaveProps } from '@va-wave/cdk';
      const props: VaWaveProps = { canary: true };
      export const chat = (stack: import('constructs').Construct) => new VaWave(stack, 'Chat', props).grantCallTools;
      // @ts-expect-error the rule of the network is no prop
      export const other: VaWaveProps = { networkRule: '' };`;
    writeFileSync(join(platform, 'use.mts'), use);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--checkJs'];
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const types = ['--skipLibCheck', 'false', '--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    execFileSync(process.execPath, [tsc, ...options, ...types, 'use.mts', 'app.mjs'], {
      cwd: platform,
      stdio: 'inherit',
    });
  });

  test('has the command line, which says on an older Node which one it needs', () => {
    const cli = join(installed, 'dist/cli/va-wave.mjs');
    const help = execFileSync(process.execPath, [cli, '--help'], { encoding: 'utf8' });
    expect(help).toContain('Usage: va-wave');
    if (OLDER_NODE === undefined) return;
    const { status, stderr } = spawnSync(OLDER_NODE, [cli, '--help'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^va-wave needs Node 22\.19 or newer, and this is v20\.[\d.]+\.\n$/),
    ]);
  });
});

describe('in an app of a platform', () => {
  test('the example has its own bus, pool and key, and an assistant runtime that may do just what it was granted', () => {
    const { Platform: template } = templatesOf(readFileSync(join(platform, 'app.mjs'), 'utf8'));
    template?.resourceCountIs('AWS::Events::EventBus', 1);
    template?.resourceCountIs('AWS::Cognito::UserPool', 1);
    // The queue gets no conversation, and the alarm tells somebody.
    template?.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['va-wave'], 'detail-type': ['va-wave.endpoint.failing'] },
    });
    for (const { Properties } of Object.values(template?.findResources('AWS::CloudWatch::Alarm') ?? {})) {
      expect(Properties.AlarmActions).toHaveLength(1);
    }
    // On a bus of others, an unknown name is nobody's error.
    expect(JSON.stringify(template?.findResources('AWS::Events::Rule'))).not.toContain('anything-but');
    const [policy] = Object.entries(template?.findResources('AWS::IAM::Policy') ?? {}).flatMap(
      ([id, { Properties }]) =>
        id.startsWith('AssistantRuntimeDefaultPolicy') ? [Properties.PolicyDocument.Statement] : [],
    );
    expect(policy).toMatchObject([
      {
        Action: 'events:PutEvents',
        Condition: {
          'ForAllValues:StringNotEquals': { 'events:source': 'va-wave' },
          Null: { 'events:source': 'false' },
        },
      },
      { Action: 'lambda:InvokeFunction' },
      { Action: 'lambda:InvokeFunction' },
    ]);
    // Logs and the bus use the key by themselves.
    const [key] = Object.values(template?.findResources('AWS::KMS::Key') ?? {});
    const users = JSON.stringify(key?.Properties.KeyPolicy.Statement);
    for (const service of ['events.amazonaws.com', 'logs.']) expect(users).toContain(service);
  });

  test('several are in one stack and in others, also with the same bus, pool and key', () => {
    const shared = `import { App, Stack } from 'aws-cdk-lib'; import { VaWave } from '@va-wave/cdk';
      import { UserPool } from 'aws-cdk-lib/aws-cognito'; import { EventBus } from 'aws-cdk-lib/aws-events';
      import { Key } from 'aws-cdk-lib/aws-kms'; import { Vpc } from 'aws-cdk-lib/aws-ec2'; import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
      const app = new App(); const stack = new Stack(app, 'One');
      const props = { bus: new EventBus(stack, 'Bus'), userPool: new UserPool(stack, 'Pool'), encryptionKey: new Key(stack, 'Key'),
        vpc: new Vpc(stack, 'Vpc'), edgeAccessLog: true, eventArchive: true, gradual: true, canary: true };
      for (const id of ['Chat', 'Trial']) {
        const chat = new VaWave(stack, id, props);
        for (const account of ['1', '2']) chat.grantPutEvents(new AccountPrincipal(account.repeat(12)));
      }
      for (const name of ['Two', 'Three']) new VaWave(new Stack(app, name), 'Chat', { edgeAccessLog: true });
      app.synth();`;
    const { One, ...others } = templatesOf(shared);
    const names = [One, ...Object.values(others)].flatMap((template) =>
      template === undefined ? [] : namesIn(template),
    );
    const unique = names.filter(
      (name) => !/Api "Http"|Alias "live"|"DashboardLogin"|"verified_email"|"va-wave-dashboard"/.test(name),
    );
    expect(unique.length).toBeGreaterThan(20);
    expect(unique.filter((name, index) => unique.indexOf(name) !== index)).toEqual([]);
    for (const template of Object.values(others)) expect(JSON.stringify(template.toJSON())).not.toContain('"Export"');
    // Each service has its own metrics, and its own resource server in the pool.
    const services = new Set(JSON.stringify(One?.toJSON()).match(/"VA_WAVE_METRICS_SERVICE":"[\w-]+"/g));
    expect(services.size).toBe(2);
    expect(names.filter((name) => name.includes('UserPoolResourceServer "va-wave-dashboard-'))).toHaveLength(2);
    One?.resourceCountIs('AWS::Events::EventBusPolicy', 4);
  });

  test('Lambda can read every asset where a umask has kept the installed files from others', () => {
    for (const path of globSync('dist/**/*', { cwd: installed, withFileTypes: true })) {
      if (path.isFile()) chmodSync(join(path.parentPath, path.name), 0o640);
    }
    const outdir = temporaryFolder();
    // Another asset of the stack, of which a file is to be executed.
    mkdirSync(join(platform, 'own'), { recursive: true });
    writeFileSync(join(platform, 'own/run'), '', { mode: 0o700 });
    // What links lead to is not ours, or does not exist, or has no end.
    writeFileSync(join(platform, 'private'), '', { mode: 0o600 });
    for (const to of ['../private', 'missing', '.']) symlinkSync(to, join(platform, 'own', `to-${basename(to)}`));
    const app = `import { App, Stack, SymlinkFollowMode } from 'aws-cdk-lib'; import { VaWave } from '@va-wave/cdk'; import { Asset } from 'aws-cdk-lib/aws-s3-assets';
      const app = new App(); const stack = new Stack(app, 'One'); new Asset(stack, 'Own', { path: 'own', followSymlinks: SymlinkFollowMode.NEVER });
      new VaWave(stack, 'Chat'); app.synth();`;
    templatesOf(app, outdir);
    const files = globSync('asset.*/**/*', { cwd: outdir }).filter((path) => lstatSync(join(outdir, path)).isFile());
    expect(files.length).toBeGreaterThan(30);
    const unreadable = files.filter((path) => (statSync(join(outdir, path)).mode & 0o444) !== 0o444);
    expect(unreadable).toEqual([]);
    const [script = ''] = files.filter((path) => path.endsWith('/run'));
    expect((statSync(join(outdir, script)).mode & 0o777).toString(8)).toBe('744');
    expect((statSync(join(platform, 'private')).mode & 0o777).toString(8)).toBe('600');
  });

  test('props that do not fit are refused by their names', () => {
    const wrong = `import { App, Stack } from 'aws-cdk-lib'; import { VaWave } from '@va-wave/cdk';
      const chat = (props) => { try { new VaWave(new Stack(new App(), 'One'), 'Chat', props) } catch (error) { console.log(error.message) } };
      chat({ deliveryConcurrency: 1 }); chat({ domainName: 'chat.example.com', eventArchive: 40 });`;
    writeFileSync(join(platform, 'wrong.mjs'), wrong);
    expect(execFileSync(node, ['wrong.mjs'], { cwd: platform, encoding: 'utf8' }).split('\n')).toEqual([
      'deliveryConcurrency: must be at least 2',
      'domainName: also needs certificate',
      expect.stringContaining('eventArchive: must be less than the 30 days'),
      '',
    ]);
  });
});
