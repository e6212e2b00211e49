import { Token } from 'aws-cdk-lib';
import { Certificate, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type ISecurityGroup, type IVpc, SecurityGroup, Subnet, type SubnetSelection, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct, Node } from 'constructs';
import * as z from 'zod';
import { capacityFor, MAPPING_MAX, MAPPING_MIN } from '../src/deployment/capacity.ts';
import { type ConcurrencyOptions, shareConcurrency } from './concurrency.ts';
import { archiveDaysOf, SERVICE_NAME_MAX, STAGES } from './stage.ts';

/** The settings of the construct. docs/deploying.md explains each with its default and price. What exists is passed, what is left out is created. */
export interface VaWaveProps {
  /** `dev` deletes everything with the stack. @default prod */
  readonly stage?: 'prod' | 'dev' | undefined;
  /** The bus on which the platform puts its events, and the service what it reports. @default a new bus */
  readonly bus?: IEventBus | undefined;
  /** The logins of the dashboard. They log in with an email address. @default a new user pool */
  readonly userPool?: IUserPool | undefined;
  /** `baseUrl()` of the domain that `userPool` has, with managed login. @default the pool gets a domain */
  readonly loginUrl?: string | undefined;
  /** Encrypts tables, queues, logs, secrets and the archive. @default keys of AWS */
  readonly encryptionKey?: IKey | undefined;
  /** The network of the functions that make outbound requests. @default none: requests come from AWS's own addresses */
  readonly vpc?: IVpc | undefined;
  /** @default the private subnets of `vpc` with a way to the internet */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** They allow all outbound TCP ports. @default a new group, when `vpc` is set */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /** Creates a network whose requests come from two fixed addresses. @default false */
  readonly fixedEgress?: boolean | undefined;
  /** Receives every alarm, and its end. @default alarms only change their state */
  readonly alarmTopic?: ITopic | undefined;
  /** Receives the alarms that can wait for the day. @default `alarmTopic` */
  readonly ticketTopic?: ITopic | undefined;
  /** Host name of the service, with `certificate`. @default CloudFront's */
  readonly domainName?: string | undefined;
  /** Certificate of `domainName`, in us-east-1. @default CloudFront's */
  readonly certificate?: ICertificate | undefined;
  /** ARN of a global web ACL (us-east-1). @default none */
  readonly webAclArn?: string | undefined;
  /** Requires an authenticator app of the logins in the new user pool. @default false */
  readonly requiredMfa?: boolean | undefined;
  /** Identity providers of the user pool that the dashboard offers. @default none */
  readonly identityProviders?: readonly string[] | undefined;
  /** Days for which the delivery log keeps a record. @default 30, and 7 in `dev` */
  readonly deliveryLogRetentionDays?: number | undefined;
  /** The peak that the capacity is for. @default what an account of a thousand concurrent executions takes */
  readonly deliveriesPerSecond?: number | undefined;
  /** Maximum of the dispatcher's concurrent invocations. @default by `deliveriesPerSecond` */
  readonly deliveryConcurrency?: number | undefined;
  /** The account's quota of concurrent executions, or the part of it for the service. @default 1000, or what `deliveriesPerSecond` needs */
  readonly accountConcurrency?: number | undefined;
  /** Keeps CloudFront's access logs for 30 days. @default false */
  readonly edgeAccessLog?: boolean | undefined;
  /** Keeps the events of the catalog for these days, or for 7. @default false */
  readonly eventArchive?: boolean | number | undefined;
  /** Shifts traffic to new code gradually, and back when an alarm is raised. @default false */
  readonly gradual?: boolean | 'without-alarms' | undefined;
  /** Traces the functions with X-Ray. @default false */
  readonly tracing?: boolean | undefined;
  /** Uses the service from outside every five minutes. @default false */
  readonly canary?: boolean | undefined;
  /** Version of the origin secret that the distribution sends. @default the first */
  readonly originSecretVersion?: string | undefined;
  /** Region of a copy of the sealing key. @default none */
  readonly sealingKeyReplicaRegion?: string | undefined;
  /** @default a new table */
  readonly configurationTable?: ITable | undefined;
  /** @default a new table */
  readonly conversationsTable?: ITable | undefined;
  /** @default a new table */
  readonly deliveryLogTable?: ITable | undefined;
  /** Commit of the sources, for the output `Version` and a tag of each function. @default none */
  readonly commit?: string | undefined;
  /** Address before `docs/runbook.md` in the descriptions of alarms. @default the path alone */
  readonly addressOfFiles?: string | undefined;
}

/** What an option names by its ARN, id or name, and a prop passes. */
const NAMED = [
  ...(['alarmTopic', 'ticketTopic', 'certificate', 'encryptionKey', 'vpc'] as const),
  ...(['configurationTable', 'conversationsTable', 'deliveryLogTable'] as const),
];
const NAMED_BY_LIST = ['vpcSubnets', 'securityGroups'] as const;
type Named = (typeof NAMED)[number];
type NamedByList = (typeof NAMED_BY_LIST)[number];
type WithoutOption = 'bus' | 'userPool' | 'loginUrl' | 'commit' | 'addressOfFiles';

/** The options of `-c`: the props of the construct, with texts for what exists, and what only the stack has. */
export type DeploymentOptions = Omit<VaWaveProps, Named | NamedByList | WithoutOption> & {
  readonly [name in Named]?: string | undefined;
} & { readonly [name in NamedByList]?: readonly string[] | undefined } & {
  readonly stackName?: string | undefined;
  /** Other accounts, or roles in them, that may put events on the bus and invoke the functions of the assistant runtime. */
  readonly platformAccounts?: readonly string[] | undefined;
};

/** An option of `-c` is a string. An option of cdk.json may have its own type. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], {
  error: 'must be true or false',
});
const matching = (shape: RegExp, message: string) =>
  // A prop may be a value that CloudFormation knows only when it deploys.
  z.string().refine((text) => Token.isUnresolved(text) || shape.test(text), message);
const wholeNumber = (min: number, max: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
/** A list of values with this shape: text with commas in `-c`, or a list in cdk.json. */
const listOf = (shape: RegExp, message: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value),
    z.array(matching(shape, message), message).min(1, message),
  );
const topicArn = matching(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic');
const tableName = matching(/^[\w.-]{3,255}$/, 'must be the name of a table');

/** The shapes of all options: `-c <name>=<value>`, or the same names in the context of cdk.json. */
const OPTIONS = {
  stage: z.enum(['prod', 'dev'], { error: 'must be prod or dev' }),
  // CloudFormation's pattern, and short enough for the names that contain it.
  stackName: matching(
    new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${SERVICE_NAME_MAX - 1}}$`),
    `must begin with a letter, and have letters, digits and hyphens only, ${SERVICE_NAME_MAX} at most`,
  ),
  deliveryLogRetentionDays: wholeNumber(1, 3650),
  deliveriesPerSecond: wholeNumber(1, 100_000),
  deliveryConcurrency: wholeNumber(MAPPING_MIN, MAPPING_MAX),
  accountConcurrency: wholeNumber(10, 1_000_000),
  alarmTopic: topicArn,
  ticketTopic: topicArn,
  domainName: matching(
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'must be a host name in lower case',
  ),
  // CloudFront takes its certificate and web ACL from one region only, for stacks of every region.
  certificate: matching(
    /^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
    'must be the ARN of a certificate in us-east-1',
  ),
  webAclArn: matching(
    /^arn:[\w-]+:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/,
    'must be the ARN of a global web ACL (us-east-1)',
  ),
  fixedEgress: flag,
  vpc: matching(/^vpc-[0-9a-f]{8,17}$/, 'must be the id of a VPC, such as vpc-0123456789abcdef0'),
  vpcSubnets: listOf(/^subnet-[0-9a-f]{8,17}$/, 'must be ids of subnets, separated by commas'),
  securityGroups: listOf(/^sg-[0-9a-f]{8,17}$/, 'must be ids of security groups, separated by commas'),
  platformAccounts: listOf(
    /^(\d{12}|arn:[\w-]+:iam::\d{12}:(role|user)\/[\w+=,.@/-]+)$/,
    'must be account numbers of 12 digits or ARNs of roles, separated by commas',
  ),
  encryptionKey: matching(
    /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
    'must be the ARN of a KMS key, and not of an alias',
  ),
  edgeAccessLog: flag,
  requiredMfa: flag,
  identityProviders: listOf(/^[\w-]{3,32}$/, 'must be names of identity providers, separated by commas'),
  gradual: z.union([flag, z.literal('without-alarms')], { error: 'must be true, false or without-alarms' }),
  eventArchive: z.union([flag, wholeNumber(1, 3649)], { error: 'must be true, false or a number of days' }),
  tracing: flag,
  canary: flag,
  originSecretVersion: matching(/^[\w-]{32,64}$/, 'must be a version id of the secret'),
  sealingKeyReplicaRegion: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1'),
  configurationTable: tableName,
  conversationsTable: tableName,
  deliveryLogTable: tableName,
} satisfies { readonly [name in keyof DeploymentOptions]-?: z.ZodType<DeploymentOptions[name]> };

/**
 * Reads the options from the context of an app.
 * @throws Error that names each invalid option and the values that it accepts
 */
export function readDeploymentOptions(app: Node): DeploymentOptions {
  const settings = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, app.tryGetContext(name)]));
  const context = z
    .object(OPTIONS)
    .partial()
    .superRefine(refuseContradictions([...NEEDS, ['vpc', 'vpcSubnets']]));
  return accepted(context, settings, '-c ');
}

/** @throws Error that names each invalid prop and the values that it accepts */
export function checkProps(props: VaWaveProps): void {
  const shapes = { ...OPTIONS, ...Object.fromEntries([...NAMED, ...NAMED_BY_LIST].map((name) => [name, z.unknown()])) };
  accepted(z.looseObject(shapes).partial().superRefine(refuseContradictions(NEEDS)), props, '');
}

function accepted<Settings>(shape: z.ZodType<Settings>, settings: object, prefix: string): Settings {
  const parsed = shape.safeParse(settings);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${prefix}${path.join('.')}: ${message}`).join('\n'));
}

/** Returns the props of the construct, with what the options name. @param scope in which the names are looked up */
export function propsOf(scope: Construct, options: DeploymentOptions): VaWaveProps {
  const found = <Text, Thing>(
    id: string,
    named: Text | undefined,
    find: (scope: Construct, id: string, named: Text) => Thing,
  ) => (named === undefined ? undefined : find(scope, id, named));
  return {
    ...options,
    alarmTopic: found('AlarmTopic', options.alarmTopic, Topic.fromTopicArn),
    ticketTopic: found('TicketTopic', options.ticketTopic, Topic.fromTopicArn),
    certificate: found('Certificate', options.certificate, Certificate.fromCertificateArn),
    encryptionKey: found('EncryptionKey', options.encryptionKey, Key.fromKeyArn),
    // The ids are enough for a function. A look-up would write the account's data into the repository, and the region into the template.
    vpc: found('Vpc', options.vpc, (stack, id, vpcId) =>
      Vpc.fromVpcAttributes(stack, id, { vpcId, availabilityZones: ['unknown'] }),
    ),
    vpcSubnets: options.vpcSubnets && {
      subnets: options.vpcSubnets.map((id) => Subnet.fromSubnetId(scope, id, id)),
    },
    securityGroups: options.securityGroups?.map((id) => SecurityGroup.fromSecurityGroupId(scope, id, id)),
    configurationTable: found('ConfigurationTable', options.configurationTable, Table.fromTableName),
    conversationsTable: found('ConversationsTable', options.conversationsTable, Table.fromTableName),
    deliveryLogTable: found('DeliveryLogTable', options.deliveryLogTable, Table.fromTableName),
  };
}

type Need = readonly [name: string, ...others: string[]];

/** Settings, each with those without which it has no effect. */
const NEEDS: readonly Need[] = [
  ['domainName', 'certificate'],
  ['certificate', 'domainName'],
  ['ticketTopic', 'alarmTopic'],
  ['vpcSubnets', 'vpc'],
  ['securityGroups', 'vpc'],
  ['loginUrl', 'userPool'],
];
/** Settings that exclude each other: the first is of what the service creates in place of the second. */
const EXCLUDES = [
  ['fixedEgress', 'vpc'],
  ['requiredMfa', 'userPool'],
] as const;

/** The settings that the rules below compare, of a prop or an option. */
type Compared = Readonly<Record<string, unknown>> &
  Pick<VaWaveProps, 'stage' | 'deliveryLogRetentionDays' | 'eventArchive'> &
  ConcurrencyOptions;

/** Refuses settings whose values do not fit the others. */
const refuseContradictions =
  (needs: readonly Need[]) =>
  (settings: Compared, { addIssue }: z.RefinementCtx) => {
    const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    for (const [name, ...others] of needs) {
      if (settings[name] === undefined) continue;
      for (const other of others) if (settings[other] === undefined) refuse(name, `also needs ${other}`);
    }
    for (const [created, existing] of EXCLUDES) {
      if (settings[created] && settings[existing] !== undefined) refuse(existing, `leave out ${created}`);
    }
    const { deliveryLogRetentionDays: kept = STAGES[settings.stage ?? 'prod'].deliveryLogRetentionDays } = settings;
    if ((archiveDaysOf(settings.eventArchive, kept) ?? 0) >= kept) {
      refuse(
        'eventArchive',
        `must be less than the ${kept} days of the delivery log, which keeps a replay from a second request`,
      );
    }
    const { account, router, dispatcher } = shareConcurrency(settings);
    const { account: needed } = capacityFor(settings.deliveriesPerSecond ?? 0);
    if (settings.deliveriesPerSecond !== undefined && needed > account) {
      refuse('deliveriesPerSecond', `needs an accountConcurrency of ${needed} or more, the account's quota`);
    } else if (router + dispatcher >= account) {
      const more = `also needs accountConcurrency=<more than ${router + dispatcher}>`;
      refuse('deliveryConcurrency', `${more}, the account's quota, of which requests need a part`);
    }
  };
