import type { DeploymentOptions } from '../../../lib/deployment-options.ts';
import type { VaWaveStackProps } from '../../../lib/va-wave-stack.ts';

/** A value for every option that an operator can set, except the stage, existing tables and an existing network, which excludes fixed egress. */
export const ALL_OPTIONS = {
  stackName: 'Chat-2',
  eventSources: ['platform', 'crm.example'],
  deliveryLogRetentionDays: 90,
  deliveryLogRecovery: true,
  logRetentionDays: 365,
  deliveriesPerSecond: 40_000,
  deliveryConcurrency: 700,
  accountConcurrency: 6400,
  alarmTopic: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  ticketTopic: 'arn:aws:sns:eu-west-1:123456789012:tickets',
  requiredMfa: true,
  emailFrom: 'chat@example.com',
  emailIdentity: 'arn:aws:ses:eu-west-1:123456789012:identity/example.com',
  identityProviders: ['Okta'],
  domainName: 'chat.example.com',
  certificate: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/chat/11111111-2222-3333-4444-555555555555',
  fixedEgress: true,
  canary: true,
  platformAccounts: ['210987654321', 'arn:aws:iam::210987654321:role/chat/runtime', 'o-abcdefghij'],
  encryptionKey: 'arn:aws:kms:eu-west-1:123456789012:key/mrk-11111111222233334444555555555555',
  edgeAccessLog: true,
  eventArchive: 30,
  gradual: true,
  tracing: true,
  originSecretVersion: '11111111-2222-3333-4444-555555555555',
  sealingKeyReplicaRegion: 'eu-central-1',
} satisfies DeploymentOptions;

/** A network of the operator. */
export const EXISTING_NETWORK = {
  vpc: 'vpc-0123456789abcdef0',
  vpcSubnets: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
  securityGroups: ['sg-0123456789abcdef0'],
} satisfies DeploymentOptions;

/** The account and region that an app may name. Where they are known, some constructs of the CDK ask AWS at the synthesis. */
const KNOWN_PLACE = { account: '123456789012', region: 'eu-west-1' };

const { alarmTopic, certificate, deliveryLogRetentionDays, emailFrom } = ALL_OPTIONS;
/** What an option needs beside it. */
const NEEDED: Readonly<Record<string, DeploymentOptions>> = {
  ticketTopic: { alarmTopic },
  domainName: { certificate },
  eventArchive: { deliveryLogRetentionDays },
  emailIdentity: { emailFrom },
  vpc: EXISTING_NETWORK,
  vpcSubnets: EXISTING_NETWORK,
  securityGroups: EXISTING_NETWORK,
};

/** Each option alone, as `only <its name>`. */
const ALONE: Readonly<Record<string, VaWaveStackProps>> = Object.fromEntries(
  Object.entries({ ...ALL_OPTIONS, ...EXISTING_NETWORK }).map(([name, value]) => [
    `only ${name}`,
    { ...NEEDED[name], [name]: value, env: KNOWN_PLACE },
  ]),
);

/** The properties of the stacks that `npm test` synthesizes, by name. */
const NAMED = {
  production: {},
  development: { stage: 'dev' },
  'production with every option': {
    ...ALL_OPTIONS,
    commit: '0123456789ab',
    addressOfFiles: 'https://git.example/blob/HEAD/',
  },
  // Without the override of the dispatcher, so that the load has provisioned pollers.
  'every option in a network that exists': {
    ...ALL_OPTIONS,
    ...EXISTING_NETWORK,
    env: KNOWN_PLACE,
    fixedEgress: false,
    deliveryConcurrency: undefined,
  },
  'a new account': {
    stackName: 'Second',
    accountConcurrency: 10,
    configurationTable: 'restored',
    conversationsTable: 'kept',
    deliveryLogTable: 'older-log',
    platformAccounts: Array.from({ length: 30 }, (_, index) => String(100_000_000_000 + index)),
  },
  'a fix in an app without feature flags': { ...ALL_OPTIONS, gradual: 'without-alarms' },
  'an app with a region and buckets of its own': {
    ...ALL_OPTIONS,
    env: KNOWN_PLACE,
  },
  'a fix in development': { stage: 'dev', gradual: 'without-alarms' },
} satisfies Readonly<Record<string, VaWaveStackProps>>;

export type Choice = keyof typeof NAMED;

export const TESTED: Readonly<Record<string, VaWaveStackProps>> = NAMED;
/** In addition, those that `npm run lint:templates` synthesizes. */
export const CHOICES: Readonly<Record<string, VaWaveStackProps>> = { ...NAMED, ...ALONE };

/** The choices that together have every resource: `npm test` runs cdk-nag on these, `npm run lint:templates` on every choice. */
export const NAGGED = [
  'production',
  'development',
  'production with every option',
  'every option in a network that exists',
  'an app with a region and buckets of its own',
] satisfies readonly Choice[];

/** The choices without the flags of cdk.json, as an app has them that the CDK did not create. */
export const WITHOUT_FLAGS: readonly string[] = ['a fix in an app without feature flags'];

/** The context of a choice, in addition to that of cdk.json: the CDK's own means for the rules of an organization. */
export const CONTEXT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'a new account': { '@aws-cdk/core:permissionsBoundary': { name: 'Boundary' } },
  'an app with a region and buckets of its own': { '@aws-cdk/core:bootstrapQualifier': 'own' },
} satisfies Partial<Record<Choice, object>>;
