import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { App, Stack, Token } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { acceptedProps, PROP_NAMES, readDeploymentOptions } from '../../../lib/deployment-options.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { ALL_OPTIONS } from './deployment-choices.ts';

type Context = Readonly<Record<string, unknown>>;
const read = (command: Context, file: Context = {}, region?: string) =>
  readDeploymentOptions(new App({ context: { ...file, ...command } }).node, file, region);
const refusal = (run: () => unknown): string => {
  try {
    return `accepted ${JSON.stringify(run())}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
const PRODUCTION = { stage: 'prod', stackName: 'VaWave' };

test('without context only the stack is known', () => {
  expect(read({})).toEqual(PRODUCTION);
});

test('ignores in the context what resembles no option, and the keys of the CDK', () => {
  const context = {
    replacements: {},
    emulated: 'true',
    '@aws-cdk/core:stage': true,
    'vpc-provider:account=1': {},
    owner: 1,
  };
  expect(read(context)).toEqual(PRODUCTION);
});

test('accepts every option as text, as -c passes it', () => {
  const context: Record<string, unknown> = { ...ALL_OPTIONS, stage: 'dev' };
  const texts = Object.fromEntries(Object.entries(context).map(([name, value]) => [name, String(value)]));
  expect(read(texts)).toEqual({ ...ALL_OPTIONS, stage: 'dev' });
  expect(read(context)).toEqual({ ...ALL_OPTIONS, stage: 'dev' });
});

test('accepts the names of existing tables, and the ids of an existing network as text or as lists', () => {
  const network = {
    configurationTable: 'restored.configuration',
    deliveryLogTable: 'restored-log',
    vpc: 'vpc-0123456789abcdef0',
    vpcSubnets: ['subnet-01234567', 'subnet-89abcdef'],
    securityGroups: ['sg-01234567'],
  };
  const expected = { ...PRODUCTION, ...network };
  expect(read(network)).toEqual(expected);
  expect(read({ ...network, vpcSubnets: 'subnet-01234567, subnet-89abcdef', securityGroups: 'sg-01234567' })).toEqual(
    expected,
  );
});

const CERTIFICATE = ALL_OPTIONS.certificate;
test.each([
  [{ stage: 'production' }, 'stage: must be prod or dev'],
  [{ deliveryLogRetentionDays: 'a month' }, 'deliveryLogRetentionDays: must be a number'],
  [{ deliveryLogRetentionDays: '0' }, 'deliveryLogRetentionDays: must be at least 1'],
  [{ deliveryLogRetentionDays: '1.5' }, 'deliveryLogRetentionDays: must be a whole number'],
  [{ deliveriesPerSecond: true }, 'deliveriesPerSecond: must be a number'],
  [{ deliveryConcurrency: '1' }, 'deliveryConcurrency: must be at least 2'],
  [{ deliveryConcurrency: 1001 }, 'deliveryConcurrency: must be at most 1000'],
  [
    { deliveriesPerSecond: '10000', accountConcurrency: '1099' },
    'deliveriesPerSecond: needs an accountConcurrency of 1100 or more',
  ],
  [{ vpc: 'vpc-01234567' }, 'vpc: also needs vpcSubnets'],
  [{ vpcSubnets: 'subnet-01234567' }, 'vpcSubnets: also needs vpc'],
  [{ vpcSubnets: 'subnet-01234567,' }, 'vpcSubnets.1: must be ids of subnets, separated by commas'],
  [
    { vpc: 'vpc-01234567', vpcSubnets: 'subnet-01234567', securityGroups: 'sg-01234567', fixedEgress: 'true' },
    'vpc: leave out fixedEgress',
  ],
  [{ platformAccounts: '*' }, 'must be account numbers of 12 digits, ARNs of roles or ids of organizations of AWS'],
  [{ platformAccounts: [] }, 'must be account numbers of 12 digits, ARNs of roles or ids of organizations of AWS'],
  [{ logRetentionDays: '31' }, 'logRetentionDays: must be one of 30, 60, 90,'],
  [{ logRetentionDays: '7' }, 'logRetentionDays: must be at least 30'],
  [{ encryptionKey: 'arn:aws:kms:eu-west-1:123456789012:alias/chat' }, 'encryptionKey: must be the ARN of a KMS key'],
  [{ deliveryConcurrency: '980' }, 'deliveryConcurrency: also needs accountConcurrency=<more than 1000>'],
  [{ gradual: '1' }, 'gradual: must be true, false or without-alarms'],
  [{ eventArchive: '30' }, 'eventArchive: must be less than the 30 days of the delivery log'],
  [{ eventArchive: 'true', deliveryLogRetentionDays: '1' }, 'eventArchive: needs two days or more of the delivery log'],
  [{ accountConcurrency: '9' }, 'accountConcurrency: must be at least 10'],
  [{ stackName: 'chat_2' }, 'stackName: must begin with a letter'],
  [{ stackName: 'c'.repeat(41) }, 'stackName: must begin with a letter, and have letters, digits and hyphens only, 40'],
  [{ emailFrom: 'example.com' }, 'emailFrom: must be an email address'],
  [{ emailIdentity: ALL_OPTIONS.emailIdentity }, 'emailIdentity: also needs emailFrom'],
  [{ configurationTable: 'arn:aws:dynamodb' }, 'configurationTable: must be the name of a table'],
  [{ alarmTopic: 'ops@example.com' }, 'alarmTopic: must be the ARN of an SNS topic'],
  [{ domainName: 'chat.example.com' }, 'domainName: also needs certificate'],
  [
    { domainName: 'https://chat.example.com', certificate: CERTIFICATE },
    'domainName: must be a host name in lower case',
  ],
  [
    { domainName: 'chat.example.com', certificate: CERTIFICATE.replace('us-east-1', 'eu-west-1') },
    'certificate: must be the ARN of a certificate in us-east-1',
  ],
  [
    { webAclArn: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/a/b' },
    'webAclArn: must be the ARN of a global web ACL (us-east-1)',
  ],
  [{ fixedEgress: 'yes' }, 'fixedEgress: must be true or false'],
  [{ sealingKeyReplicaRegion: 'Frankfurt' }, 'sealingKeyReplicaRegion: must be a region such as eu-west-1'],
  [{ requiredMFA: 'true' }, 'requiredMFA: is unknown; did you mean requiredMfa?'],
  [{ stagename: 'dev' }, 'stagename: is unknown; did you mean stackName?'],
  [{ stack: {} }, 'stack: is unknown; did you mean stacks?'],
  [{ stacks: 'VaWave' }, 'stacks: must be an object with a key for each stack'],
  [{ stacks: { VaWave: 'prod' } }, 'stacks.VaWave: must be an object with the options of the stack'],
  [{ stacks: { VaWave: { canarry: true } } }, 'stacks.VaWave.canarry: is unknown; did you mean canary?'],
  [{ stacks: { Other: { owner: 'me' } } }, 'stacks.Other.owner: is unknown'],
  [{ stacks: { VaWave: { canary: 'perhaps' } } }, 'canary: must be true or false'],
  [{ stackName: 'VaWave', stage: 'dev' }, 'stage: is prod for the stack VaWave, and never changes'],
  [{ stackName: 'VaWaveDev', stage: 'prod' }, 'stage: is dev for the stack VaWaveDev, and never changes'],
  [
    { stacks: { Trial: { stage: 'dev' } }, stackName: 'Trial', stage: 'prod' },
    'stage: is dev for the stack Trial, and never changes',
  ],
  [{ stackName: 'vawave' }, 'stackName: did you mean VaWave? Another name is another stack'],
  [{ stacks: { Trial: {} }, stackName: 'TRIAL' }, 'stackName: did you mean Trial? Another name is another stack'],
  [
    { configurationTable: 'kept', deliveryLogTable: 'kept' },
    'deliveryLogTable: must be another table than configurationTable',
  ],
  [{ stacks: { One: {}, Two: {} } }, 'stackName: must be one of One, Two, the stacks of stage prod in cdk.json'],
])('refuses %j: %s', (context, message) => {
  expect(() => read(context)).toThrow(message);
});

test('names every wrong option in one error', () => {
  expect(() => read({ stage: 'x', fixedEgress: 'y', canarry: 1 })).toThrow(/^canarry: .*\nstage: .*\nfixedEgress: /);
});

test.each([
  [{ alarmTopic: ALL_OPTIONS.alarmTopic }, 'alarmTopic: must be in us-east-1, as the stack, and is in eu-west-1'],
  [{ encryptionKey: ALL_OPTIONS.encryptionKey }, 'encryptionKey: must be in us-east-1'],
  [
    { sealingKeyReplicaRegion: 'us-east-1' },
    'sealingKeyReplicaRegion: must be another region than us-east-1, which has the key',
  ],
])('refuses %j in us-east-1', (context, message) => {
  expect(() => read(context, {}, 'us-east-1')).toThrow(message);
  expect(read(context, {}, 'eu-west-1')).toMatchObject(context);
  expect(read(context)).toMatchObject(context);
});

describe('a file for several stacks', () => {
  const OF_CHAT = { configurationTable: 'restored', originSecretVersion: ALL_OPTIONS.originSecretVersion };
  const FILE = {
    canary: true,
    deliveryLogRetentionDays: 20,
    stacks: {
      Chat: { ...OF_CHAT, region: 'eu-west-1' },
      ChatDev: { stage: 'dev', deliveryLogRetentionDays: 5 },
      Trial: { stage: 'dev', canary: false },
    },
  };
  const SHARED = { canary: true, deliveryLogRetentionDays: 20 };
  const CHAT = { ...OF_CHAT, settingsRegion: 'eu-west-1' };

  test.each([
    [{}, { ...SHARED, ...CHAT, stage: 'prod', stackName: 'Chat' }],
    [
      { deliveryLogRetentionDays: '9' },
      { ...SHARED, ...CHAT, deliveryLogRetentionDays: 9, stage: 'prod', stackName: 'Chat' },
    ],
    [
      { configurationTable: 'other' },
      { ...SHARED, ...CHAT, configurationTable: 'other', stage: 'prod', stackName: 'Chat' },
    ],
    [{ stackName: 'ChatDev' }, { ...SHARED, deliveryLogRetentionDays: 5, stage: 'dev', stackName: 'ChatDev' }],
    [{ stackName: 'Trial' }, { ...SHARED, canary: false, stage: 'dev', stackName: 'Trial' }],
    [
      { stackName: 'New', stage: 'dev' },
      { ...SHARED, stage: 'dev', stackName: 'New' },
    ],
  ])('with -c %j has just the options of the stack', (command, options) => {
    expect(read(command, FILE)).toEqual(options);
  });

  test.each<[string, Context, string | undefined, string | undefined]>([
    [
      'names a table and no region',
      OF_CHAT,
      'eu-west-1',
      'stacks.Chat.region: must be the region of configurationTable',
    ],
    [
      'names a table and no region',
      { conversationsTable: 'kept' },
      undefined,
      'stacks.Chat.region: must be the region',
    ],
    [
      'names a wrong region',
      { ...OF_CHAT, region: 'Ireland' },
      undefined,
      'stacks.Chat.region: must be a region such as',
    ],
    ['is of another region', { ...OF_CHAT, region: 'eu-west-1' }, 'us-west-2', 'is eu-west-1, and this is us-west-2'],
    [
      'is of another region',
      { canary: false, region: 'eu-west-1' },
      'us-west-2',
      'is eu-west-1, and this is us-west-2',
    ],
    ['is of this region', { ...OF_CHAT, region: 'eu-west-1' }, 'eu-west-1', undefined],
    ['is of an unknown region', { ...OF_CHAT, region: 'eu-west-1' }, undefined, undefined],
    ['names nothing of a region', { canary: false }, 'us-west-2', undefined],
  ])('%s: %j, deployed to %s', (_, settings, region, problem) => {
    const work = () => read({}, { stacks: { Chat: settings } }, region);
    if (problem === undefined) expect(work()).toMatchObject({ stackName: 'Chat' });
    else expect(refusal(work)).toContain(problem);
  });

  test.each<[unknown, string | undefined, string | undefined]>([
    ['111111111111', '111111111111', undefined],
    ['111111111111', undefined, undefined],
    ['111111111111', '222222222222', 'stacks.Chat.account: is 111111111111, and this is 222222222222'],
    [111111111111, '111111111111', 'stacks.Chat.account: must be the 12 digits of an account, in quotation marks'],
    ['Production', undefined, 'stacks.Chat.account: must be the 12 digits'],
    [undefined, '222222222222', undefined],
  ])('for the account %j, deployed to %s', (account, deployedTo, problem) => {
    const file = { stacks: { Chat: { ...OF_CHAT, region: 'eu-west-1', ...(account !== undefined && { account }) } } };
    const work = () => readDeploymentOptions(new App({ context: file }).node, file, 'eu-west-1', deployedTo);
    if (problem !== undefined) expect(refusal(work)).toContain(problem);
    else
      expect(work()).toMatchObject({ stackName: 'Chat', ...(account !== undefined && { settingsAccount: account }) });
  });

  test.each([
    ...['stackName', 'stage', 'domainName', 'certificate', 'identityProviders', 'originSecretVersion'],
    ...['configurationTable', 'conversationsTable', 'deliveryLogTable'],
  ])('refuses %s for all of them, with its new place, and takes it from -c', (name) => {
    const place = `${name}: holds for one stack, so in cdk.json it is at stacks.<name of the stack>.${name}`;
    const values: Context = {
      ...ALL_OPTIONS,
      stage: 'prod',
      configurationTable: 'kept',
      conversationsTable: 'kept',
      deliveryLogTable: 'kept',
    };
    expect(refusal(() => read({}, { [name]: values[name] }))).toContain(place);
    expect(refusal(() => read({ [name]: values[name], certificate: CERTIFICATE }))).not.toContain(
      'holds for one stack',
    );
  });
});

const stack = new Stack(new App(), 'Account');
/** Of each prop: a value of its type, and a wrong one. A text is what `tryGetContext` gives. */
const KEY = Key.fromKeyArn(stack, 'Key', ALL_OPTIONS.encryptionKey);
const TOPIC = Topic.fromTopicArn(stack, 'Topic', ALL_OPTIONS.alarmTopic);
const token = Token.asString({ Ref: 'Parameter' });
/** What the first synthesis gets, before the command line of the CDK looks the value up. */
const lookedUp = StringParameter.valueFromLookup(
  new Stack(new App(), 'Known', { env: { account: '1'.repeat(12), region: 'eu-west-1' } }),
  '/chat/value',
);
type Row = { readonly value: unknown; readonly wrong: unknown; readonly text?: string; readonly token?: true };
const flag: Row = { value: true, text: 'true', wrong: 'yes' };
const tableRow: Row = { value: Table.fromTableName(stack, 'Table', 'restored'), wrong: 'restored' };
const number = (value: number): Row => ({ value, text: String(value), wrong: 'many' });
const PROPS: Readonly<Record<string, Row>> = {
  stage: { value: 'dev', text: 'dev', wrong: 'production' },
  bus: { value: EventBus.fromEventBusName(stack, 'Bus', 'bus'), wrong: 'bus' },
  userPool: { value: UserPool.fromUserPoolId(stack, 'Pool', 'pool'), wrong: 'pool' },
  loginUrl: { value: 'https://login.example.com', text: 'https://login.example.com', wrong: 'login', token: true },
  encryptionKey: { value: KEY, wrong: ALL_OPTIONS.encryptionKey },
  vpc: { value: Vpc.fromVpcAttributes(stack, 'Vpc', { vpcId: 'vpc-1', availabilityZones: ['a'] }), wrong: 'vpc-1' },
  vpcSubnets: { value: { subnets: [] }, wrong: 'subnet-1' },
  securityGroups: { value: [SecurityGroup.fromSecurityGroupId(stack, 'Group', 'sg-1')], wrong: ['sg-1'] },
  fixedEgress: flag,
  alarmTopic: { value: TOPIC, wrong: ALL_OPTIONS.alarmTopic },
  ticketTopic: { value: TOPIC, wrong: ALL_OPTIONS.ticketTopic },
  domainName: { value: 'chat.example.com', text: 'chat.example.com', wrong: 'Chat', token: true },
  certificate: { value: Certificate.fromCertificateArn(stack, 'Certificate', CERTIFICATE), wrong: CERTIFICATE },
  webAclArn: { value: ALL_OPTIONS.webAclArn, text: ALL_OPTIONS.webAclArn, wrong: 'acl', token: true },
  requiredMfa: flag,
  emailFrom: {
    value: ALL_OPTIONS.emailFrom,
    text: ALL_OPTIONS.emailFrom,
    wrong: 'Chat <chat@example.com>',
    token: true,
  },
  emailIdentity: {
    value: ALL_OPTIONS.emailIdentity,
    text: ALL_OPTIONS.emailIdentity,
    wrong: 'example.com',
    token: true,
  },
  identityProviders: { value: ['Okta'], text: 'Okta', wrong: [], token: true },
  eventSources: { value: ['platform'], text: 'platform', wrong: Array(11).fill('a'), token: true },
  deliveryLogRecovery: flag,
  logRetentionDays: number(365),
  deliveryLogRetentionDays: number(9),
  deliveriesPerSecond: number(100),
  deliveryConcurrency: number(7),
  accountConcurrency: number(2000),
  edgeAccessLog: flag,
  eventArchive: { ...number(9), wrong: 'always' },
  gradual: { value: 'without-alarms', text: 'without-alarms', wrong: 'slowly' },
  tracing: flag,
  canary: flag,
  originSecretVersion: {
    ...{ value: ALL_OPTIONS.originSecretVersion, text: ALL_OPTIONS.originSecretVersion },
    wrong: '1',
    token: true,
  },
  sealingKeyReplicaRegion: { value: 'eu-central-1', text: 'eu-central-1', wrong: 'Ireland', token: true },
  configurationTable: tableRow,
  conversationsTable: tableRow,
  deliveryLogTable: tableRow,
  commit: { value: 'abc', text: 'abc', wrong: 1, token: true },
  addressOfFiles: { value: 'https://git.example/', text: 'https://git.example/', wrong: 1, token: true },
};

describe('the props of the construct', () => {
  const given = (props: Context) => acceptedProps(props, 'eu-west-1');
  const OTHERS: Readonly<Record<string, Context>> = {
    domainName: { certificate: PROPS.certificate?.value },
    ticketTopic: { alarmTopic: TOPIC },
    emailIdentity: { emailFrom: ALL_OPTIONS.emailFrom },
    vpcSubnets: { vpc: PROPS.vpc?.value },
    securityGroups: { vpc: PROPS.vpc?.value },
    loginUrl: { userPool: PROPS.userPool?.value },
  };

  test('are all in the table', () => {
    expect(Object.keys(PROPS).sort()).toEqual([...PROP_NAMES].sort());
  });

  test.each(Object.entries(PROPS))('%s is taken as a value and as text, and refused otherwise', (name, row) => {
    const others = OTHERS[name] ?? {};
    expect(given({ ...others, [name]: row.value })).toEqual({ ...others, [name]: row.value });
    if (row.text !== undefined)
      expect(given({ ...others, [name]: row.text })).toEqual({ ...others, [name]: row.value });
    for (const wrong of [row.wrong, null, Symbol.iterator]) {
      expect(refusal(() => given({ ...others, [name]: wrong }))).toMatch(new RegExp(`^${name}(\\.0)?: must be`));
    }
    for (const later of [token, lookedUp]) {
      const value = Array.isArray(row.value) ? [later] : later;
      if (row.token !== true) expect(() => given({ ...others, [name]: value })).toThrow(`${name}`);
      else expect(given({ ...others, [name]: value })).toEqual({ ...others, [name]: value });
    }
  });

  test.each([...['deliveryLogRetentionDays', 'deliveriesPerSecond', 'deliveryConcurrency', 'accountConcurrency']])(
    '%s is no number that only the deployment knows',
    (name) => {
      expect(() => given({ [name]: Token.asNumber({ Ref: 'Parameter' }) })).toThrow(
        `${name}: must be known at the synthesis`,
      );
    },
  );

  test.each([
    [{ requiredMFA: true }, 'requiredMFA: is unknown; did you mean requiredMfa?'],
    [{ platformAccounts: ['1'.repeat(12)] }, 'platformAccounts: is unknown'],
    [JSON.parse('{"__proto__": {}}'), '__proto__: is unknown'],
    [
      { encryptionKey: Alias.fromAliasName(stack, 'Alias', 'alias/chat') },
      'encryptionKey: must be the KMS key, and not an alias',
    ],
    [
      { encryptionKey: { keyArn: 'arn:aws:kms:eu-west-1:1:alias/chat' } },
      'encryptionKey: must be the KMS key, and not an alias',
    ],
  ])('%# refuses: %s', (props, sentence) => {
    expect(refusal(() => given(props))).toBe(sentence);
  });

  test('of another region are refused', () => {
    expect(() => acceptedProps({ encryptionKey: KEY, alarmTopic: TOPIC }, 'us-west-2')).toThrow(
      /^encryptionKey: must be in us-west-2, as the stack, and is in eu-west-1$/m,
    );
    expect(acceptedProps({ alarmTopic: TOPIC }, token)).toEqual({ alarmTopic: TOPIC });
  });

  test('of a stack in another partition are refused, which lacks what the service uses', () => {
    for (const { name, partition } of RegionInfo.regions) {
      if (partition === 'aws') expect(acceptedProps({}, name)).toEqual({});
      else expect(refusal(() => acceptedProps({}, name))).toBe(`region: ${name} is not supported`);
    }
  });
});

test('the app prints one sentence for each refusal, and nothing of its code', async () => {
  const folder = temporaryFolder();
  // A file of an editor of Windows begins with a byte order mark.
  writeFileSync(
    join(folder, 'cdk.json'),
    `\ufeff${JSON.stringify({ context: { originSecretVersion: 'x', canary: true } })}`,
  );
  const CDK_CONTEXT_JSON = JSON.stringify({ originSecretVersion: 'x', canary: true, requiredMfa: 'yes' });
  const run = promisify(execFile)(process.execPath, [resolve('bin/app.ts')], {
    cwd: folder,
    env: { ...process.env, CDK_CONTEXT_JSON, CDK_OUTDIR: join(folder, 'out') },
  });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: [
      'originSecretVersion: holds for one stack, so in cdk.json it is at stacks.<name of the stack>.originSecretVersion',
      'requiredMfa: must be true or false',
      'originSecretVersion: must be a version id of the secret',
      '',
    ].join('\n'),
  });
});
