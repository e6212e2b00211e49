import type { Node } from 'constructs';
import * as z from 'zod';
import { capacityFor, MAPPING_MAX, MAPPING_MIN } from '../src/deployment/capacity.ts';
import { shareConcurrency } from './concurrency.ts';
import { STACK_NAME_MAX } from './names.ts';
import { archiveDaysOf, STAGES } from './stage.ts';

/** An option of `-c` is a string. An option of cdk.json may have its own type. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], {
  error: 'must be true or false',
});
const matching = (shape: RegExp, message: string) => z.string().regex(shape, message);
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

/**
 * The shapes of the options of a deployment: `-c <name>=<value>`, or the same names in the context of cdk.json. docs/deploying.md explains
 * each with its default.
 */
const OPTIONS = {
  stage: z.enum(['prod', 'dev'], { error: 'must be prod or dev' }),
  // CloudFormation's pattern, and short enough for the names that contain it.
  stackName: matching(
    new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${STACK_NAME_MAX - 1}}$`),
    `must begin with a letter, and have letters, digits and hyphens only, ${STACK_NAME_MAX} at most`,
  ),
  deliveryLogRetentionDays: wholeNumber(1, 3650),
  deliveriesPerSecond: wholeNumber(1, 100_000),
  deliveryConcurrency: wholeNumber(MAPPING_MIN, MAPPING_MAX),
  accountConcurrency: wholeNumber(10, 1_000_000),
  alarmTopicArn: topicArn,
  ticketTopicArn: topicArn,
  domainName: matching(
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'must be a host name in lower case',
  ),
  // CloudFront takes its certificate and web ACL from one region only, for stacks of every region.
  certificateArn: matching(
    /^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
    'must be the ARN of a certificate in us-east-1',
  ),
  webAclArn: matching(
    /^arn:[\w-]+:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/,
    'must be the ARN of a global web ACL (us-east-1)',
  ),
  fixedEgress: flag,
  vpcId: matching(/^vpc-[0-9a-f]{8,17}$/, 'must be the id of a VPC, such as vpc-0123456789abcdef0'),
  subnetIds: listOf(/^subnet-[0-9a-f]{8,17}$/, 'must be ids of subnets, separated by commas'),
  securityGroupIds: listOf(/^sg-[0-9a-f]{8,17}$/, 'must be ids of security groups, separated by commas'),
  platformAccounts: listOf(
    /^(\d{12}|arn:[\w-]+:iam::\d{12}:(role|user)\/[\w+=,.@/-]+)$/,
    'must be account numbers of 12 digits or ARNs of roles, separated by commas',
  ),
  kmsKeyArn: matching(
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
};
const context = z.object(OPTIONS).partial();
type Context = z.infer<typeof context>;

/** Ids of a network that exists. */
export type ExistingNetworkIds = Required<Pick<Context, 'vpcId' | 'subnetIds' | 'securityGroupIds'>>;

/** The options of a deployment, with those together that describe one thing. */
export type DeploymentOptions = Readonly<Omit<Context, 'domainName' | 'certificateArn' | keyof ExistingNetworkIds>> & {
  readonly domain?: { readonly name: string; readonly certificateArn: string } | undefined;
  readonly existingNetwork?: ExistingNetworkIds | undefined;
};

/**
 * Reads the options from the context of an app.
 * @throws Error that names each invalid option and the values that it accepts
 */
export function readDeploymentOptions(app: Node): DeploymentOptions {
  const settings = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, app.tryGetContext(name)]));
  const parsed = context.superRefine(refuseContradictions).safeParse(settings);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `-c ${path.join('.')}: ${message}`).join('\n'));
  }
  const { domainName, certificateArn, vpcId, subnetIds, securityGroupIds, ...options } = parsed.data;
  return {
    ...options,
    ...(domainName && certificateArn ? { domain: { name: domainName, certificateArn } } : {}),
    ...(vpcId && subnetIds && securityGroupIds ? { existingNetwork: { vpcId, subnetIds, securityGroupIds } } : {}),
  };
}

/** Options, each with those without which it has no effect. */
const NEEDS: readonly (readonly [keyof Context, ...(keyof Context)[]])[] = [
  ['domainName', 'certificateArn'],
  ['certificateArn', 'domainName'],
  ['ticketTopicArn', 'alarmTopicArn'],
  ['vpcId', 'subnetIds', 'securityGroupIds'],
  ['subnetIds', 'vpcId'],
  ['securityGroupIds', 'vpcId'],
];

/** Refuses options whose values do not fit the others. */
function refuseContradictions(options: Context, { addIssue }: z.RefinementCtx<Context>): void {
  const refuse = (name: keyof Context, message: string) => addIssue({ code: 'custom', path: [name], message });
  for (const [name, ...others] of NEEDS) {
    if (options[name] === undefined) continue;
    for (const other of others) if (options[other] === undefined) refuse(name, `also needs -c ${other}`);
  }
  if (options.fixedEgress && options.vpcId !== undefined) {
    refuse('vpcId', 'leave out -c fixedEgress, which creates a network');
  }
  const { deliveryLogRetentionDays: kept = STAGES[options.stage ?? 'prod'].deliveryLogRetentionDays } = options;
  if ((archiveDaysOf(options.eventArchive, kept) ?? 0) >= kept) {
    refuse(
      'eventArchive',
      `must be less than the ${kept} days of the delivery log, which keeps a replay from a second request`,
    );
  }
  const { account, router, dispatcher } = shareConcurrency(options);
  const { account: needed } = capacityFor(options.deliveriesPerSecond ?? 0);
  if (options.deliveriesPerSecond !== undefined && needed > account) {
    refuse('deliveriesPerSecond', `needs an accountConcurrency of ${needed} or more, the account's quota`);
  } else if (router + dispatcher >= account) {
    const more = `also needs -c accountConcurrency=<more than ${router + dispatcher}>`;
    refuse('deliveryConcurrency', `${more}, the account's quota, of which requests need a part`);
  }
}
