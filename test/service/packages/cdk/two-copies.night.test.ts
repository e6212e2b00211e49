import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { packedCdk } from './packed-cdk.ts';

/** Uses everything of the construct that takes or returns something of the CDK, in a stack that has a singleton of the CDK already. */
const APP = `import { App, Stack, Validations } from 'aws-cdk-lib'; import { VaWave } from '@va-wave/cdk';
  import * as iam from 'aws-cdk-lib/aws-iam'; import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
  import { UserPool } from 'aws-cdk-lib/aws-cognito'; import { Table } from 'aws-cdk-lib/aws-dynamodb';
  import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2'; import { EventBus } from 'aws-cdk-lib/aws-events';
  import { Distribution } from 'aws-cdk-lib/aws-cloudfront'; import { Key } from 'aws-cdk-lib/aws-kms'; import { Bucket } from 'aws-cdk-lib/aws-s3';
  import { BucketDeployment, Source } from 'aws-cdk-lib/aws-s3-deployment'; import { Topic } from 'aws-cdk-lib/aws-sns';

  const stack = new Stack(new App(), 'Chat', { env: { account: '1'.repeat(12), region: 'eu-west-1' } });
  new BucketDeployment(stack, 'Page', { destinationBucket: new Bucket(stack, 'Pages'), sources: [Source.data('a', 'b')] });
  const vpc = new Vpc(stack, 'Vpc');
  const chat = new VaWave(stack, 'VaWave', {
    bus: new EventBus(stack, 'Bus'), userPool: new UserPool(stack, 'Pool'), encryptionKey: new Key(stack, 'Key'), alarmTopic: new Topic(stack, 'Topic'),
    vpc, vpcSubnets: { subnets: vpc.privateSubnets }, securityGroups: [new SecurityGroup(stack, 'Group', { vpc })], domainName: 'chat.example.com',
    certificate: Certificate.fromCertificateArn(stack, 'Certificate', 'arn:aws:acm:us-east-1:' + '1'.repeat(12) + ':certificate/abc'),
    configurationTable: Table.fromTableName(stack, 'Kept', 'kept'), eventArchive: true, canary: true, gradual: true, tracing: true, edgeAccessLog: true,
  });
  const assumedBy = new iam.ServicePrincipal('ecs-tasks.amazonaws.com');
  const grantees = [new iam.Role(stack, 'Runtime', { assumedBy }), new iam.User(stack, 'User'), new iam.AccountPrincipal('2'.repeat(12)),
    iam.Role.fromRoleArn(stack, 'Foreign', 'arn:aws:iam::' + '2'.repeat(12) + ':role/Foreign'), new iam.OrganizationPrincipal('o-1234567890')];
  const granted = grantees.flatMap((one) => [chat.grantPutEvents(one), chat.grantCallTools(one), chat.grantReportUsage(one)]);
  chat.metricAttempts().createAlarm(stack, 'Attempts', { threshold: 1, evaluationPeriods: 1 });
  chat.tables.deliveryLog.grantReadData(grantees[0]);
  chat.queues.events.queue.grantSendMessages(grantees[0]);
  const acknowledged = stack.node.findAll().flatMap(({ node }) =>
    node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY).map(({ data }) => [node.path, data]));
  console.log(JSON.stringify({ same: chat.distribution instanceof Distribution, granted: granted.map(({ success }) => success), acknowledged }));
  stack.node.root.synth();`;

/** Synthesizes the app. @param paths folders in which it finds a copy of aws-cdk-lib, each of its own */
async function synthesized(...paths: readonly string[]) {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@va-wave/cdk'), { recursive: true });
  execFileSync('tar', ['xzf', await packedCdk(), '--strip-components=1'], { cwd: join(modules, '@va-wave/cdk') });
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(resolve('node_modules/aws-cdk-lib'), join(folder, path));
  }
  writeFileSync(join(folder, 'app.mjs'), APP);
  // Node loads a file again for each path that leads to it, unless it follows the links first.
  const environment = { NODE_OPTIONS: '--preserve-symlinks', NODE_PATH: resolve('node_modules'), CDK_OUTDIR: 'out' };
  const env = { ...process.env, ...environment };
  const { same, ...printed } = JSON.parse(
    execFileSync(process.execPath, ['app.mjs'], { cwd: folder, env, encoding: 'utf8' }),
  );
  return { same, printed, template: JSON.parse(readFileSync(join(folder, 'out/Chat.template.json'), 'utf8')) };
}

test('an app whose package has its own copy of aws-cdk-lib gets the same template, grants and acknowledgements', async () => {
  const [one, two] = await Promise.all([
    synthesized('node_modules/aws-cdk-lib'),
    synthesized('node_modules/aws-cdk-lib', 'node_modules/@va-wave/cdk/node_modules/aws-cdk-lib'),
  ]);
  expect([one.same, two.same]).toEqual([true, false]);
  expect(new Set(one.printed.granted)).toEqual(new Set([true]));
  expect(one.printed.acknowledged.length).toBeGreaterThan(20);
  expect(two).toEqual({ ...one, same: false });
});
