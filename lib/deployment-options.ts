import { isDeepStrictEqual } from 'node:util';
import { Stack, Token } from 'aws-cdk-lib';
import { Certificate, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type ISecurityGroup, type IVpc, SecurityGroup, Subnet, type SubnetSelection, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct, Node } from 'constructs';
import * as z from 'zod';
import { closestName } from '../src/contract/closest-name.ts';
import { capacityFor, MAPPING_MAX, MAPPING_MIN } from '../src/deployment/capacity.ts';
import { UNSUPPORTED_REGION } from '../src/deployment/regions.ts';
import { type ConcurrencyOptions, shareConcurrency } from './concurrency.ts';
import { archiveDaysOf, CLOUDFRONT_REGION, SERVICE_NAME_MAX, STAGES, type StageName } from './stage.ts';

/** The settings of the construct. docs/deploying.md explains each with its default and price. What exists is passed, what is left out is created. */
export interface VaWaveProps {
  /** `dev` deletes everything with the stack. @default prod */
  readonly stage?: StageName | undefined;
  /** The bus on which the platform puts its events, and the service what it reports. @default a new bus */
  readonly bus?: IEventBus | undefined;
  /** Sources of the platform's events, of which an unknown name is an error. @default all on a new bus, none on `bus` */
  readonly eventSources?: readonly string[] | undefined;
  /** The logins of the dashboard. They log in with an email address. @default a new user pool */
  readonly userPool?: IUserPool | undefined;
  /** `baseUrl()` of the domain that `userPool` has, with managed login. @default the pool gets a domain */
  readonly loginUrl?: string | undefined;
  /** Encrypts tables, queues, logs, secrets and the archive. @default keys of AWS */
  readonly encryptionKey?: IKey | undefined;
  /** The network of the functions that make outbound requests. @default none: requests come from AWS's own addresses */
  readonly vpc?: IVpc | undefined;
  /** Subnets of `vpc` for these functions. @default its private subnets with a way to the internet */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** Security groups of these functions, which must allow all outbound TCP ports. @default a new group, when `vpc` is set */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /** Creates a network whose requests come from two fixed addresses. @default false */
  readonly fixedEgress?: boolean | undefined;
  /** Receives every alarm, and its end. @default alarms only change their state */
  readonly alarmTopic?: ITopic | undefined;
  /** Receives the alarms that can wait for the day. @default `alarmTopic` */
  readonly ticketTopic?: ITopic | undefined;
  /** Host name of the service, with `certificate`. @default CloudFront's */
  readonly domainName?: string | undefined;
  /** Certificate of `domainName`, in us-east-1. Without `domainName`, it prepares the move of a name from another distribution. @default CloudFront's */
  readonly certificate?: ICertificate | undefined;
  /** ARN of a global web ACL (us-east-1). @default none */
  readonly webAclArn?: string | undefined;
  /** Requires an authenticator app of the logins in the new user pool. @default false */
  readonly requiredMfa?: boolean | undefined;
  /** Address from which the new user pool sends invitations, verified in Amazon SES. @default Cognito's, for 50 a day */
  readonly emailFrom?: string | undefined;
  /** ARN of the SES identity, such as that of its domain, that may send from `emailFrom`. @default the address's own in the region of the stack */
  readonly emailIdentity?: string | undefined;
  /** Identity providers of the user pool that the dashboard offers. @default none */
  readonly identityProviders?: readonly string[] | undefined;
  /** Days for which the delivery log keeps a record. @default 30, and 7 in `dev` */
  readonly deliveryLogRetentionDays?: number | undefined;
  /** Recovers the delivery log to any second of the last 35 days. @default false */
  readonly deliveryLogRecovery?: boolean | undefined;
  /** Days for which the logs of functions, the API and deployments are kept: one of CloudWatch's numbers from 30 to 3653. @default 30, and 7 in `dev` */
  readonly logRetentionDays?: number | undefined;
  /** The peak that the capacity is for. @default what an account of a thousand concurrent executions takes */
  readonly deliveriesPerSecond?: number | undefined;
  /** Maximum of the dispatcher's concurrent invocations. @default by `deliveriesPerSecond` */
  readonly deliveryConcurrency?: number | undefined;
  /** The account's quota of concurrent executions, or the part of it for the service. @default 1000, or what `deliveriesPerSecond` needs */
  readonly accountConcurrency?: number | undefined;
  /** Keeps CloudFront's access logs for 30 days. @default false */
  readonly edgeAccessLog?: boolean | undefined;
  /** Keeps the events of the catalog for these days, or with `true` for 7, and always for less than the delivery log. @default false */
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
  /** A table that exists, such as a restored one. @default a new table */
  readonly configurationTable?: ITable | undefined;
  /** A table that exists. @default a new table */
  readonly conversationsTable?: ITable | undefined;
  /** A table that exists. @default a new table */
  readonly deliveryLogTable?: ITable | undefined;
  /** Commit of the sources, for the output `Version` and a tag of each function. @default none */
  readonly commit?: string | undefined;
  /** Address before `docs/runbook.md` in the descriptions of alarms. @default the path of the page in the package */
  readonly addressOfFiles?: string | undefined;
}

/** What an option names by its ARN, id or name, and a prop passes. */
type Named =
  | ('alarmTopic' | 'ticketTopic' | 'certificate' | 'encryptionKey' | 'vpc')
  | ('configurationTable' | 'conversationsTable' | 'deliveryLogTable');
type NamedByList = 'vpcSubnets' | 'securityGroups';
type WithoutOption = 'bus' | 'userPool' | 'loginUrl' | 'commit' | 'addressOfFiles';

/** The options of `-c`: the props of the construct, with texts for what exists, and what only the stack has. */
export type DeploymentOptions = Omit<VaWaveProps, Named | NamedByList | WithoutOption> & {
  readonly [name in Named]?: string | undefined;
} & { readonly [name in NamedByList]?: readonly string[] | undefined } & {
  readonly stackName?: string | undefined;
  /** Other accounts, roles in them, or organizations of AWS (`o-…`), that may put events on the bus and invoke the functions of the assistant runtime. */
  readonly platformAccounts?: readonly string[] | undefined;
};

const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** An option of `-c` is a string. An option of cdk.json may have its own type. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], {
  error: 'must be true or false',
});
/** What `StringParameter.valueFromLookup` returns until the command line of the CDK has looked the value up and synthesizes again. */
const LOOKED_UP_LATER = 'dummy-value-for-';
const textLike = (shape: RegExp, message: string) =>
  // A prop may be a value that CloudFormation knows only when it deploys, or one that the CDK looks up when this synthesis has succeeded.
  z
    .string(message)
    .refine((text) => Token.isUnresolved(text) || text.startsWith(LOOKED_UP_LATER) || shape.test(text), message);
const wholeNumber = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?[\d.]+$/.test(value) ? Number(value) : value),
    z
      .number({ error: 'must be a number' })
      .refine((number) => !Token.isUnresolved(number), {
        error: 'must be known at the synthesis, because other values follow from it, and this is a token',
        abort: true,
      })
      .int('must be a whole number')
      .min(min, `must be at least ${min}`)
      .max(max, `must be at most ${max}`),
  );
/** A list of values with this shape: text with commas in `-c`, or a list in cdk.json. */
const listOf = (shape: RegExp, message: string, most = 100) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value),
    z.array(textLike(shape, message), message).min(1, message).max(most, message),
  );

/** A setting whose value is the same text, number or list in an option and in a prop. */
const plain = <Shape extends z.ZodType>(shape: Shape) => ({ shape, prop: shape, find: undefined });
/** A construct of any copy of the CDK. @param attribute by which it is known */
const construct = (attribute: string, what: string) =>
  z.custom<object>((value) => typeof value === 'object' && value !== null && attribute in value, {
    error: `must be ${what}: a construct, such as those that the CDK's from… functions return for a name or an ARN`,
  });
/** A setting that an option names, and a prop passes as a construct. @param shape of the option */
const existingResource = <Text>(
  shape: z.ZodType<Text>,
  prop: z.ZodType<object>,
  find: (scope: Construct, id: string, named: Text) => object,
) => ({ shape, prop, find: (scope: Construct, id: string, named: unknown) => find(scope, id, shape.parse(named)) });
const topic = () =>
  existingResource(
    textLike(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic'),
    construct('topicArn', 'an SNS topic'),
    Topic.fromTopicArn,
  );
const table = () =>
  existingResource(
    textLike(/^[\w.-]{3,255}$/, 'must be the name of a table'),
    construct('tableName', 'a table'),
    Table.fromTableName,
  );

/** The numbers of days for which CloudWatch keeps a log, without less than a month and without ever. */
const LOG_RETENTION_DAYS: ReadonlySet<unknown> = new Set(
  Object.values(RetentionDays).filter((days) => typeof days === 'number' && days >= 30 && days <= 3653),
);

/** The one record of each setting: `-c <name>=<value>` or the context of cdk.json, and the prop of the same name. */
const OPTIONS = {
  stage: plain(z.enum(['prod', 'dev'], { error: 'must be prod or dev' })),
  // An event pattern has 2048 characters at most, of which the catalog takes a third.
  eventSources: plain(
    listOf(/^[\w.:/-]{1,64}$/, 'must be names of sources of events, ten at most, separated by commas', 10),
  ),
  deliveryLogRetentionDays: plain(wholeNumber(1, 3650)),
  deliveryLogRecovery: plain(flag),
  logRetentionDays: plain(
    wholeNumber(30, 3653).refine((days) => LOG_RETENTION_DAYS.has(days), {
      error: `must be one of ${[...LOG_RETENTION_DAYS].join(', ')}`,
    }),
  ),
  deliveriesPerSecond: plain(wholeNumber(1, 100_000)),
  deliveryConcurrency: plain(wholeNumber(MAPPING_MIN, MAPPING_MAX)),
  accountConcurrency: plain(wholeNumber(10, 1_000_000)),
  alarmTopic: topic(),
  ticketTopic: topic(),
  domainName: plain(
    textLike(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'must be a host name in lower case'),
  ),
  certificate: existingResource(
    textLike(/^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in us-east-1'),
    construct('certificateArn', 'a certificate'),
    Certificate.fromCertificateArn,
  ),
  webAclArn: plain(
    textLike(
      /^arn:[\w-]+:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/,
      'must be the ARN of a global web ACL (us-east-1)',
    ),
  ),
  fixedEgress: plain(flag),
  vpc: existingResource(
    textLike(/^vpc-[0-9a-f]{8,17}$/, 'must be the id of a VPC, such as vpc-0123456789abcdef0'),
    construct('vpcId', 'a VPC'),
    // The ids are enough for a function. A look-up would write the account's data into the repository, and the region into the template.
    (stack, id, vpcId) => Vpc.fromVpcAttributes(stack, id, { vpcId, availabilityZones: ['unknown'] }),
  ),
  vpcSubnets: existingResource(
    listOf(/^subnet-[0-9a-f]{8,17}$/, 'must be ids of subnets, separated by commas'),
    z.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
      error: 'must be a selection of subnets, such as { subnets: [...] }',
    }),
    (scope, _, ids) => ({ subnets: ids.map((id) => Subnet.fromSubnetId(scope, id, id)) }),
  ),
  securityGroups: existingResource(
    listOf(/^sg-[0-9a-f]{8,17}$/, 'must be ids of security groups, separated by commas'),
    z
      .array(construct('securityGroupId', 'a list of security groups, each'), 'must be a list of security groups')
      .min(1),
    (scope, _, ids) => ids.map((id) => SecurityGroup.fromSecurityGroupId(scope, id, id)),
  ),
  encryptionKey: existingResource(
    textLike(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'must be the ARN of a KMS key, and not of an alias'),
    construct('keyArn', 'a KMS key').refine(
      (key) => !('aliasName' in key || ('keyArn' in key && String(key.keyArn).includes(':alias/'))),
      'must be the KMS key, and not an alias',
    ),
    Key.fromKeyArn,
  ),
  edgeAccessLog: plain(flag),
  requiredMfa: plain(flag),
  emailFrom: plain(textLike(/^[^\s@<>"]{1,64}@[\w.-]{1,253}$/, 'must be an email address')),
  emailIdentity: plain(
    textLike(/^arn:[\w-]+:ses:[\w-]+:\d{12}:identity\/[^\s/]+$/, 'must be the ARN of an identity of Amazon SES'),
  ),
  identityProviders: plain(listOf(/^[\w-]{3,32}$/, 'must be names of identity providers, separated by commas')),
  gradual: plain(z.union([flag, z.literal('without-alarms')], { error: 'must be true, false or without-alarms' })),
  eventArchive: plain(z.union([flag, wholeNumber(1, 3649)], { error: 'must be true, false or a number of days' })),
  tracing: plain(flag),
  canary: plain(flag),
  originSecretVersion: plain(textLike(/^[\w-]{32,64}$/, 'must be a version id of the secret')),
  sealingKeyReplicaRegion: plain(textLike(REGION, 'must be a region such as eu-west-1')),
  configurationTable: table(),
  conversationsTable: table(),
  deliveryLogTable: table(),
} satisfies {
  readonly [name in Exclude<keyof VaWaveProps, WithoutOption>]-?: {
    readonly shape: z.ZodType<DeploymentOptions[name]>;
  };
};

/** The options that only the stack has. */
const OF_STACK = {
  // CloudFormation's pattern, and short enough for the names that contain it.
  stackName: textLike(
    new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${SERVICE_NAME_MAX - 1}}$`),
    `must begin with a letter, and have letters, digits and hyphens only, ${SERVICE_NAME_MAX} at most`,
  ),
  platformAccounts: listOf(
    /^(\d{12}|o-[a-z0-9]{10,32}|arn:[\w-]+:iam::\d{12}:(role|user)\/[\w+=,.@/-]+)$/,
    'must be account numbers of 12 digits, ARNs of roles or ids of organizations of AWS, separated by commas',
  ),
};

/** The props without an option. */
const OF_CONSTRUCT = {
  bus: construct('eventBusName', 'an event bus'),
  userPool: construct('userPoolId', 'a user pool'),
  loginUrl: textLike(
    /^https:\/\/[\w.-]+$/,
    'must be the address of the domain of the user pool, as its baseUrl() returns it',
  ),
  commit: z.string('must be a text'),
  addressOfFiles: z.string('must be a text'),
} satisfies { readonly [name in WithoutOption]: z.ZodType };

const TABLES = ['configurationTable', 'conversationsTable', 'deliveryLogTable'] as const;

/** Options that hold for one stack, and would be wrong for another one of the same file. */
const OF_ONE_STACK: readonly string[] = [
  'stackName',
  'stage',
  'domainName',
  'certificate',
  'identityProviders',
  'originSecretVersion',
  ...TABLES,
];

/** Settings that name what exists in one region, so a stack of the same name in another region must not get them. */
const OF_ONE_REGION: readonly string[] = [...TABLES, 'originSecretVersion'];

const shapesOf = (kind: 'shape' | 'prop') =>
  Object.fromEntries(Object.entries(OPTIONS).map(([name, setting]) => [name, setting[kind]]));
const OPTION_SHAPES: Readonly<Record<string, z.ZodType>> = { ...shapesOf('shape'), ...OF_STACK };
const PROP_SHAPES: Readonly<Record<string, z.ZodType>> = { ...shapesOf('prop'), ...OF_CONSTRUCT };
export const PROP_NAMES: readonly string[] = Object.keys(PROP_SHAPES);
export const OPTION_NAMES: readonly string[] = Object.keys(OPTION_SHAPES);
/** The most characters by which a name differs from the one that it stands for. */
const MOST_CHANGES = 2;

/** Ignores upper and lower case. */
function nameMeantBy(name: string, names: readonly string[]): string | undefined {
  const lower = names.map((one) => one.toLowerCase());
  const closest = closestName(name.toLowerCase(), lower, MOST_CHANGES);
  return closest && names[lower.indexOf(closest)];
}

function unknownName(name: string, names: readonly string[]): string {
  const closest = nameMeantBy(name, names);
  return `${name}: is unknown${closest === undefined ? '' : `; did you mean ${closest}?`}`;
}

/** Its message has one sentence for each setting, with its name and the values that it accepts. */
export class RefusedSettings extends Error {}

/** @param names that an unknown one may stand for @param refusals sentences about what the shape does not see @throws RefusedSettings */
function acceptSettings<Accepted>(
  shape: z.ZodType<Accepted>,
  settings: unknown,
  names: readonly string[],
  refusals: readonly string[] = [],
): Accepted {
  const parseResult = shape.safeParse(settings);
  if (parseResult.success && refusals.length === 0) return parseResult.data;
  const sentences = (parseResult.error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((name) => unknownName(name, names))
      : [`${issue.path.join('.')}: ${issue.message}`],
  );
  throw new RefusedSettings([...refusals, ...sentences].join('\n'));
}

/** The oldest minor version of aws-cdk-lib with everything that the construct uses; packages/cdk/package.json asks for it. */
const OLDEST_CDK_MINOR = 270;
/** The version of its package, which each class of the CDK has under `jsii.rtti`, the type information of its compiler. */
const installedCdk = z.object({ version: z.string() });

/** Parses props: `'true'`, as the context of an app has it, is true. @param region of the stack, or a token @throws RefusedSettings */
export function acceptedProps(props: object, region: string): VaWaveProps {
  const { version } = installedCdk.parse(Reflect.get(Stack, Symbol.for('jsii.rtti')));
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major !== 2 || minor < OLDEST_CDK_MINOR) {
    throw new RefusedSettings(`aws-cdk-lib: must be 2.${OLDEST_CDK_MINOR}.0 or newer, and is ${version}`);
  }
  const knownRegion = Token.isUnresolved(region) ? undefined : region;
  const shape = z.strictObject(PROP_SHAPES).partial().pipe(z.custom<VaWaveProps & Settings>());
  return acceptSettings(shape.superRefine(refuseContradictions(NEEDS, knownRegion)), props, PROP_NAMES);
}

/** Returns the props of the construct, with what the options name. @param scope in which the names are looked up */
export function propsOf(scope: Construct, options: DeploymentOptions): VaWaveProps {
  const valuesByName: Readonly<Record<string, unknown>> = { ...options };
  const props = Object.fromEntries(PROP_NAMES.map((name) => [name, valuesByName[name]]));
  for (const [name, { find }] of Object.entries(OPTIONS)) {
    if (find !== undefined && valuesByName[name] !== undefined) props[name] = find(scope, name, valuesByName[name]);
  }
  return acceptedProps(props, Stack.of(scope).region);
}

type Settings = Readonly<Record<string, unknown>>;
const STACKS = z.object({
  stacks: z
    .record(
      OF_STACK.stackName,
      z.record(z.string(), z.unknown(), 'must be an object with the options of the stack'),
      'must be an object with a key for each stack',
    )
    .default({}),
});
type Stacks = z.infer<typeof STACKS>['stacks'];

export type SettingsPlace = {
  readonly settingsRegion?: string | undefined;
  readonly settingsAccount?: string | undefined;
};

/**
 * Reads the options of the one stack that is deployed: those of `-c` win over `stacks.<its name>` of the file, and these over the file's other options,
 * which hold for every stack.
 * @param app its context has that of the file and of `-c` together
 * @param file the context of cdk.json
 * @param region in which the stack is deployed; undefined if nobody knows. `account` likewise
 * @throws RefusedSettings
 */
export function readDeploymentOptions(
  app: Node,
  file: Settings = {},
  region?: string,
  account?: string,
): DeploymentOptions & SettingsPlace & { readonly stage: StageName; readonly stackName: string } {
  const context: Settings = app.getAllContext();
  const { stacks } = acceptSettings(STACKS, { stacks: context.stacks }, []);
  const optionEntries = Object.entries(context).filter(([name]) => OPTION_NAMES.includes(name));
  const isOfFile = ([name, value]: [string, unknown]) => name in file && isDeepStrictEqual(file[name], value);
  const ofEveryStack = Object.fromEntries(optionEntries.filter(isOfFile));
  const ofCommand = Object.fromEntries(optionEntries.filter((option) => !isOfFile(option)));
  const { stage, stackName, refusals } = chosenStack(ofCommand, stacks);
  const { region: settingsRegion, account: settingsAccount, ...ofStack } = stacks[stackName] ?? {};
  const allRefusals = [
    ...refusedNames(context, file, stacks),
    ...refusals,
    ...(settingsRegion === undefined ? refusedWithoutRegion(stackName, ofStack) : []),
    ...refusedPlace(stackName, 'region', settingsRegion, region),
    ...refusedPlace(stackName, 'account', settingsAccount, account),
  ];
  const shape = z.strictObject(OPTION_SHAPES).partial().pipe(z.custom<DeploymentOptions & Settings>());
  // A VPC that is named by its id, unlike a construct, knows none of its subnets.
  const optionShape = shape.superRefine(refuseContradictions([...NEEDS, ['vpc', 'vpcSubnets']], region));
  const options = acceptSettings(optionShape, { ...ofEveryStack, ...ofStack, ...ofCommand }, OPTION_NAMES, allRefusals);
  return {
    ...{ ...options, stage, stackName },
    ...(typeof settingsRegion === 'string' && { settingsRegion }),
    ...(typeof settingsAccount === 'string' && { settingsAccount }),
  };
}

const PLACES = {
  region: { shape: REGION, example: 'a region such as eu-west-1' },
  account: { shape: /^\d{12}$/, example: 'the 12 digits of an account, in quotation marks' },
} as const;

/** Returns a sentence for each option of a stack's settings that holds in one region only, where the settings name none. */
const refusedWithoutRegion = (stackName: string, settings: object): readonly string[] =>
  Object.keys(settings)
    .filter((name) => OF_ONE_REGION.includes(name))
    .map(
      (name) =>
        `stacks.${stackName}.region: must be the region of ${name}, which a stack of this name elsewhere must not use`,
    );

/** @param settingsPlace that of the stack's settings in the file @param place to which it is deployed; undefined if nobody knows */
function refusedPlace(stackName: string, kind: keyof typeof PLACES, settingsPlace: unknown, place: string | undefined) {
  const { shape, example } = PLACES[kind];
  const setting = `stacks.${stackName}.${kind}`;
  if (settingsPlace === undefined) return [];
  if (typeof settingsPlace !== 'string' || !shape.test(settingsPlace)) return [`${setting}: must be ${example}`];
  if (place === undefined || place === settingsPlace) return [];
  return [`${setting}: is ${settingsPlace}, and this is ${place}; another stack has another name: -c stackName=<name>`];
}

/** Returns a sentence for each name that is unknown, or that stands where it would hold for every stack. */
function refusedNames(context: Settings, file: Settings, stacks: Stacks): readonly string[] {
  const names = [...OPTION_NAMES, 'stacks'];
  return [
    // Keys with these characters belong to the CDK, and keys that resemble no option to whoever uses them.
    ...Object.keys(context)
      .filter((name) => !names.includes(name) && !/[@:]/.test(name) && nameMeantBy(name, names) !== undefined)
      .map((name) => unknownName(name, names)),
    ...OF_ONE_STACK.filter((name) => name in file).map(
      (name) => `${name}: holds for one stack, so in cdk.json it is at stacks.<name of the stack>.${name}`,
    ),
    ...Object.entries(stacks).flatMap(([stack, options]) =>
      Object.keys(options)
        .filter(
          (name) => !['region', 'account'].includes(name) && (!OPTION_NAMES.includes(name) || name === 'stackName'),
        )
        .map((name) => `stacks.${stack}.${unknownName(name, OPTION_NAMES)}`),
    ),
  ];
}

/** What the command line says of the stack. Wrong values are refused with those of the other options. */
const stackChoice = z.object({ stage: OPTIONS.stage.shape.optional(), stackName: OF_STACK.stackName.optional() });

/** Returns the stack that a command deploys, and a sentence for each contradiction. */
function chosenStack(command: Settings, stacks: Stacks) {
  const requestedStack = stackChoice.safeParse(command).data ?? {};
  const stageOf = (stack: string): StageName =>
    stackChoice.safeParse(stacks[stack]).data?.stage ?? (stack === STAGES.dev.stackName ? 'dev' : 'prod');
  const stage =
    requestedStack.stage ?? (requestedStack.stackName === undefined ? 'prod' : stageOf(requestedStack.stackName));
  const ofStage = Object.keys(stacks).filter((stack) => stageOf(stack) === stage);
  const stackName = requestedStack.stackName ?? ofStage[0] ?? STAGES[stage].stackName;
  const stackNames = [...Object.keys(stacks), ...Object.values(STAGES).map((one) => one.stackName)];
  const inOtherCase = stackNames.find((one) => one.toLowerCase() === stackName.toLowerCase());
  const refusals: string[] = [];
  if (requestedStack.stackName === undefined && ofStage.length > 1) {
    refusals.push(`stackName: must be one of ${ofStage.join(', ')}, the stacks of stage ${stage} in cdk.json`);
  }
  if (stackNames.includes(stackName) && stageOf(stackName) !== stage) {
    refusals.push(`stage: is ${stageOf(stackName)} for the stack ${stackName}, and never changes`);
  }
  if (!stackNames.includes(stackName) && inOtherCase !== undefined) {
    refusals.push(`stackName: did you mean ${inOtherCase}? Another name is another stack`);
  }
  return { stage, stackName, refusals };
}

type Need = readonly [name: string, other: string];

/** Settings, each with the one without which it has no effect. */
const NEEDS: readonly Need[] = [
  ['domainName', 'certificate'],
  ['ticketTopic', 'alarmTopic'],
  ['vpcSubnets', 'vpc'],
  ['securityGroups', 'vpc'],
  ['loginUrl', 'userPool'],
  ['emailIdentity', 'emailFrom'],
];
/** Settings that exclude each other: the first is of what the service creates in place of the second. */
const EXCLUDES = [
  ['fixedEgress', 'vpc'],
  ['requiredMfa', 'userPool'],
  ['emailFrom', 'userPool'],
] as const;

/** Settings whose resource is in the region of the stack. */
const REGIONAL = [...['alarmTopic', 'ticketTopic', 'bus', 'encryptionKey', 'userPool', 'vpc'], ...TABLES];
const tableProp = z.object({ tableName: z.string() });
const regionalProp = z.object({ env: z.object({ region: z.string() }) });
/** `region` is that of a certificate which a function of the CDK creates elsewhere. */
const certificateProp = regionalProp.extend({ certificateArn: z.string(), region: z.string().optional() });

function regionOfCertificate(value: unknown): string | undefined {
  const { certificateArn, region, env } = certificateProp.safeParse(value).data ?? {};
  return Token.isUnresolved(certificateArn) ? (region ?? regionOf({ env })) : regionOf(certificateArn);
}

/** The region of an ARN or a construct; undefined when the synthesis does not know it. */
function regionOf(value: unknown): string | undefined {
  const region = typeof value === 'string' ? value.split(':')[3] : regionalProp.safeParse(value).data?.env.region;
  return Token.isUnresolved(region) ? undefined : region;
}

const keyProp = z.object({ keyArn: z.string(), node: z.object({ defaultChild: z.unknown() }) });
const multiRegionResource = z.object({ multiRegion: z.literal(true) });

/** Returns whether a key is one of several regions: by its id, or as the app creates it. */
function isMultiRegionKey(key: unknown): boolean {
  const { keyArn, node } = keyProp.safeParse(key).data ?? { keyArn: key };
  return String(keyArn).includes(':key/mrk-') || multiRegionResource.safeParse(node?.defaultChild).success;
}

/** The settings that the rules below compare, of a prop or an option. */
type Compared = Settings &
  Pick<VaWaveProps, 'stage' | 'deliveryLogRetentionDays' | 'eventArchive'> &
  ConcurrencyOptions;

const refuseContradictions =
  (needs: readonly Need[], region: string | undefined) =>
  (settings: Compared, { addIssue }: z.RefinementCtx) => {
    const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    for (const [name, other] of needs) {
      if (settings[name] !== undefined && settings[other] === undefined) refuse(name, `also needs ${other}`);
    }
    if (region !== undefined && UNSUPPORTED_REGION.test(region)) refuse('region', `${region} is not supported`);
    for (const name of region === undefined ? [] : REGIONAL) {
      const other = regionOf(settings[name]);
      if (other !== undefined && other !== region)
        refuse(name, `must be in ${region}, as the stack, and is in ${other}`);
    }
    if (region !== undefined && settings.sealingKeyReplicaRegion === region) {
      refuse('sealingKeyReplicaRegion', `must be another region than ${region}, which has the key`);
    }
    const { sealingKeyReplicaRegion, encryptionKey } = settings;
    if (sealingKeyReplicaRegion !== undefined && encryptionKey !== undefined && !isMultiRegionKey(encryptionKey)) {
      refuse('sealingKeyReplicaRegion', 'needs an encryptionKey of several regions (mrk-…), with a replica there');
    }
    const tables = TABLES.map((name) => tableProp.safeParse(settings[name]).data?.tableName ?? settings[name]);
    TABLES.forEach((name, index) => {
      const first = tables.indexOf(tables[index]);
      if (tables[index] !== undefined && first < index) refuse(name, `must be another table than ${TABLES[first]}`);
    });
    const certificateRegion = regionOfCertificate(settings.certificate) ?? CLOUDFRONT_REGION;
    if (certificateRegion !== CLOUDFRONT_REGION) {
      refuse('certificate', `must be in ${CLOUDFRONT_REGION} for CloudFront, and is in ${certificateRegion}`);
    }
    for (const [created, existing] of EXCLUDES) {
      if (settings[created] && settings[existing] !== undefined) refuse(existing, `leave out ${created}`);
    }
    const { deliveryLogRetentionDays: retentionDays = STAGES[settings.stage ?? 'prod'].deliveryLogRetentionDays } =
      settings;
    if ((archiveDaysOf(settings.eventArchive, retentionDays) ?? 0) >= retentionDays) {
      const most = retentionDays === 1 ? 'needs two days or more' : `must be less than the ${retentionDays} days`;
      refuse('eventArchive', `${most} of the delivery log, which keeps a replay from a second request`);
    }
    const { account, router, dispatcher } = shareConcurrency(settings);
    const { account: neededAccount } = capacityFor(settings.deliveriesPerSecond ?? 0);
    if (settings.deliveriesPerSecond !== undefined && neededAccount > account) {
      refuse('deliveriesPerSecond', `needs an accountConcurrency of ${neededAccount} or more, the account's quota`);
    } else if (router + dispatcher >= account) {
      const more = `also needs accountConcurrency=<more than ${router + dispatcher}>`;
      refuse('deliveryConcurrency', `${more}, the account's quota, of which requests need a part`);
    }
  };
