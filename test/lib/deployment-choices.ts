import type { DeploymentOptions } from '../../lib/deployment-options.ts';
import type { VaWaveStackProps } from '../../lib/va-wave-stack.ts';

/** A value for every option that an operator can set, except the stage and existing tables. */
export const ALL_OPTIONS = {
  stackName: 'Chat-2',
  deliveryLogRetentionDays: 90,
  deliveriesPerSecond: 40_000,
  routerConcurrency: 300,
  requestsPerSecond: 8000,
  provisionedPollers: true,
  warmTables: true,
  deliveryLogCapacity: 'provisioned',
  deliveryLogRecovery: false,
  deliveryConcurrency: 1000,
  requestConcurrency: 200,
  accountConcurrency: 6000,
  alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  domain: {
    name: 'chat.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
  },
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/chat/11111111-2222-3333-4444-555555555555',
  fixedEgress: true,
  canary: true,
  originSecretVersion: '11111111-2222-3333-4444-555555555555',
  sealingKeyReplicaRegion: 'eu-central-1',
} satisfies DeploymentOptions;

/** The properties of the stacks that the tests synthesize, by name. */
export const CHOICES = {
  production: {},
  development: { stage: 'dev' },
  'production with every option': ALL_OPTIONS,
  'development with every option': { ...ALL_OPTIONS, stage: 'dev' },
  'a short delivery log': { deliveryLogRetentionDays: 7 },
  'few dispatchers': { deliveryConcurrency: 5 },
  'another name': { stackName: 'Second' },
  'a new account': { accountConcurrency: 10 },
  'a small account with few dispatchers': { accountConcurrency: 100, deliveryConcurrency: 7 },
  'a known load': { accountConcurrency: 1100, deliveriesPerSecond: 10_000, warmTables: true },
  'tables that exist': { existingTables: { configuration: 'restored', conversations: 'kept' } },
} satisfies Readonly<Record<string, VaWaveStackProps>>;

export type Choice = keyof typeof CHOICES;

export const CHOICE_NAMES: readonly Choice[] = [
  'production',
  'development',
  'production with every option',
  'development with every option',
  'a short delivery log',
  'few dispatchers',
  'another name',
  'a new account',
  'a small account with few dispatchers',
  'a known load',
  'tables that exist',
];
