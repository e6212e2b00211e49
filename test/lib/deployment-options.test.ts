import { App } from 'aws-cdk-lib';
import { readDeploymentOptions } from '../../lib/deployment-options.ts';
import { ALL_OPTIONS } from './deployment-choices.ts';

const read = (context: Record<string, unknown>) => readDeploymentOptions(new App({ context }).node);

test('without context no option is set', () => {
  expect(read({})).toEqual({});
});

test('ignores in the context the settings that only tests and the one-machine service use', () => {
  expect(read({ replacements: { '#network-rule': 'anything.ts' }, emulated: 'true' })).toEqual({});
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
  expect(read(network)).toEqual(network);
  expect(read({ ...network, vpcSubnets: 'subnet-01234567, subnet-89abcdef', securityGroups: 'sg-01234567' })).toEqual(
    network,
  );
});

const CERTIFICATE = ALL_OPTIONS.certificate;
test.each([
  [{ stage: 'production' }, 'stage: must be prod or dev'],
  [{ deliveryLogRetentionDays: 'a month' }, 'deliveryLogRetentionDays: must be a number'],
  [{ deliveryLogRetentionDays: '0' }, 'deliveryLogRetentionDays: must be at least 1'],
  [{ deliveryLogRetentionDays: '1.5' }, 'deliveryLogRetentionDays: must be a whole number'],
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
  [{ platformAccounts: '*' }, 'must be account numbers of 12 digits or ARNs of roles'],
  [{ platformAccounts: [] }, 'must be account numbers of 12 digits or ARNs of roles'],
  [{ encryptionKey: 'arn:aws:kms:eu-west-1:123456789012:alias/chat' }, 'encryptionKey: must be the ARN of a KMS key'],
  [{ deliveryConcurrency: '980' }, 'deliveryConcurrency: also needs accountConcurrency=<more than 1000>'],
  [{ gradual: '1' }, 'gradual: must be true, false or without-alarms'],
  [{ eventArchive: '30' }, 'eventArchive: must be less than the 30 days of the delivery log'],
  [{ accountConcurrency: '9' }, 'accountConcurrency: must be at least 10'],
  [{ stackName: 'chat_2' }, 'stackName: must begin with a letter'],
  [{ stackName: 'c'.repeat(41) }, 'stackName: must begin with a letter, and have letters, digits and hyphens only, 40'],
  [{ configurationTable: 'arn:aws:dynamodb' }, 'configurationTable: must be the name of a table'],
  [{ alarmTopic: 'ops@example.com' }, 'alarmTopic: must be the ARN of an SNS topic'],
  [{ domainName: 'chat.example.com' }, 'domainName: also needs certificate'],
  [{ certificate: CERTIFICATE }, 'certificate: also needs domainName'],
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
])('refuses %j: %s', (context, message) => {
  expect(() => read(context)).toThrow(message);
});

test('names every wrong option in one error', () => {
  expect(() => read({ stage: 'x', fixedEgress: 'y' })).toThrow(/^-c stage: .*\n-c fixedEgress: /);
});
