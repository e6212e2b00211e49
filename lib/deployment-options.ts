import type { Node } from 'constructs';
import * as z from 'zod';
import { capacityFor, USUAL_ACCOUNT_CONCURRENCY } from '../src/contract/capacity.ts';
import { MAPPING_MAX, MAPPING_MIN } from './concurrency.ts';
import { STACK_NAME_MAX } from './names.ts';

/** Ids of a network. Several of a kind are separated by commas. */
export type ExistingNetworkIds = {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
};

/** An option of `-c` is a string. An option of cdk.json may have its own type. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], {
  error: 'must be true or false',
});
const topicArn = z.string().regex(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic');
// CloudFront takes its certificate and web ACL from one region only, for stacks of every region.
const certificateArn = z
  .string()
  .regex(/^arn:[\w-]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in us-east-1');
const webAclArn = z
  .string()
  .regex(/^arn:[\w-]+:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/, 'must be the ARN of a global web ACL (us-east-1)');
const domainName = z
  .string()
  .regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'must be a host name in lower case');
const versionId = z.string().regex(/^[\w-]{32,64}$/, 'must be a version id of the secret');
const wholeNumber = (min: number, max: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
// CloudFormation's pattern, and short enough for the names that contain it.
const stackName = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${STACK_NAME_MAX - 1}}$`),
    `must begin with a letter, and have letters, digits and hyphens only, ${STACK_NAME_MAX} at most`,
  );
const tableName = z.string().regex(/^[\w.-]{3,255}$/, 'must be the name of a table');
const region = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1');

const vpcId = z.string().regex(/^vpc-[0-9a-f]{8,17}$/, 'must be the id of a VPC, such as vpc-0123456789abcdef0');
const kmsKeyArn = z
  .string()
  .regex(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'must be the ARN of a KMS key, and not of an alias');
/** A list of values with this shape: text with commas in `-c`, or a list in cdk.json. */
const listOf = (shape: RegExp, message: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value),
    z.array(z.string().regex(shape, message), message).min(1, message),
  );
const subnetIds = listOf(/^subnet-[0-9a-f]{8,17}$/, 'must be ids of subnets, separated by commas');
const securityGroupIds = listOf(/^sg-[0-9a-f]{8,17}$/, 'must be ids of security groups, separated by commas');
const platformAccounts = listOf(
  /^(\d{12}|arn:[\w-]+:iam::\d{12}:(role|user)\/[\w+=,.@/-]+)$/,
  'must be account numbers of 12 digits or ARNs of roles, separated by commas',
);

/** The options of a deployment: `-c <name>=<value>`, or the same names in the context of cdk.json. */
const context = z.object({
  /** @default prod */
  stage: z.enum(['prod', 'dev'], { error: 'must be prod or dev' }).optional(),
  /** Name of the stack. Another name creates another deployment of the service. @default by stage */
  stackName: stackName.optional(),
  /** Days for which the delivery log keeps a record. @default by stage */
  deliveryLogRetentionDays: wholeNumber(1, 3650).optional(),
  /** Spreads the records of each Event Action over several keys of the delivery log. Versions before it refuse the messages (docs/deploying.md). @default false */
  spreadDeliveryLog: flag.optional(),
  /** The deliveries per second that are expected at the peak. Concurrency and capacity are derived from it. @default the defaults of each */
  deliveriesPerSecond: wholeNumber(1, 100_000).optional(),
  /** Maximum concurrency of the event-router. Each invocation routes ten events. @default a share of accountConcurrency, or by deliveriesPerSecond when that is more */
  routerConcurrency: wholeNumber(MAPPING_MIN, MAPPING_MAX).optional(),
  /** Maximum concurrency of the dispatcher. Each invocation makes ten attempts. @default a share of accountConcurrency, or by deliveriesPerSecond when that is more */
  deliveryConcurrency: wholeNumber(MAPPING_MIN, MAPPING_MAX).optional(),
  /** Requests per second that the API accepts on all routes together. @default what the rest of accountConcurrency answers, at most 4 000 */
  requestsPerSecond: wholeNumber(50, 10_000).optional(),
  /** Keeps pollers ready for both queues, by deliveriesPerSecond, so that a burst is received at once. @default false */
  provisionedPollers: flag.optional(),
  /** Prepares the tables for deliveriesPerSecond, so that the first burst is not throttled. @default false */
  warmTables: flag.optional(),
  /** `provisioned` scales the delivery log's write capacity up to what deliveriesPerSecond needs, and costs less with steady traffic. @default on-demand */
  deliveryLogCapacity: z.enum(['on-demand', 'provisioned'], { error: 'must be on-demand or provisioned' }).optional(),
  /** Point-in-time recovery of the delivery log. @default true */
  deliveryLogRecovery: flag.optional(),
  /**
   * Reserved concurrency of form-submit, ai-action, usage-report and action-test, for each of them. Endpoints that hang then cannot use more of the account.
   * @default none
   */
  requestConcurrency: wholeNumber(1, 1000).optional(),
  /** The account's quota of concurrent executions, which is at least 10. Each feature gets a share of it. @default 1000, the usual quota */
  accountConcurrency: wholeNumber(10, 1_000_000).optional(),
  /** SNS topic to which alarms are sent. @default none: alarms only change their state */
  alarmTopicArn: topicArn.optional(),
  /** Custom domain name for `{base_url}`. The operator creates its DNS record. @default CloudFront's name */
  domainName: domainName.optional(),
  certificateArn: certificateArn.optional(),
  /** Web ACL of the distribution. The widget's routes then refuse requests that bypass the distribution. @default none: a web ACL costs more than the rest of the idle service */
  webAclArn: webAclArn.optional(),
  /** Sends every outbound request from one of two fixed addresses, which all organizations share (docs/security.md). docs/costs.md has the price. @default false */
  fixedEgress: flag.optional(),
  /** A network that exists, in which the functions run that make outbound requests. @default none: requests come from AWS's own addresses */
  vpcId: vpcId.optional(),
  subnetIds: subnetIds.optional(),
  securityGroupIds: securityGroupIds.optional(),
  /** Accounts (12 digits) and roles (ARNs) of the platform that may put events on the bus and invoke ai-action and usage-report. @default this account only */
  platformAccounts: platformAccounts.optional(),
  /** Key of the operator for tables, queues, logs and secrets. @default AWS's keys */
  kmsKeyArn: kmsKeyArn.optional(),
  /** Whether CloudFront writes its access log. Its resources are in us-east-1. @default true */
  edgeAccessLog: flag.optional(),
  /** Shifts the traffic of a new version gradually, and back when an alarm is raised. Not in dev. @default false */
  gradual: flag.optional(),
  /** Lets X-Ray trace the functions. docs/costs.md has the price. @default false */
  tracing: flag.optional(),
  /** Uses the service from outside every five minutes, as a customer does (docs/runbook.md). @default false */
  canary: flag.optional(),
  /** Version of the origin secret that the distribution sends, after a rotation. @default the version that is current at the deployment */
  originSecretVersion: versionId.optional(),
  /** Second region with a copy of the sealing key. @default none */
  sealingKeyReplicaRegion: region.optional(),
  /** Existing tables to use instead of new ones, such as a table that was restored from a backup or retained by a deleted stack. @default none */
  configurationTable: tableName.optional(),
  conversationsTable: tableName.optional(),
  deliveryLogTable: tableName.optional(),
});
type Context = z.infer<typeof context>;

/** The options of a deployment, with those together that describe one thing. Each option is described at its schema. */
export type DeploymentOptions = Readonly<Omit<Context, 'domainName' | 'certificateArn' | keyof ExistingNetworkIds>> & {
  readonly domain?: { readonly name: string; readonly certificateArn: string } | undefined;
  readonly existingNetwork?: ExistingNetworkIds | undefined;
};

/**
 * Reads the options from the context of an app.
 * @throws Error that names each invalid option and the values that it accepts
 */
export function readDeploymentOptions(app: Node): DeploymentOptions {
  const settings = Object.fromEntries(Object.keys(context.shape).map((name) => [name, app.tryGetContext(name)]));
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

/** form-submit, ai-action, usage-report and action-test. */
const FUNCTIONS_THAT_RESERVE = 4;
/** Lambda refuses a deployment that leaves less of the account's quota unreserved. */
const UNRESERVED_MIN = 100;

/** Options, each with those without which it has no effect. */
const NEEDS: readonly (readonly [keyof Context, ...(keyof Context)[]])[] = [
  ['domainName', 'certificateArn'],
  ['certificateArn', 'domainName'],
  ['vpcId', 'subnetIds', 'securityGroupIds'],
  ['subnetIds', 'vpcId'],
  ['securityGroupIds', 'vpcId'],
  ['provisionedPollers', 'deliveriesPerSecond'],
  ['warmTables', 'deliveriesPerSecond'],
  ['deliveryLogCapacity', 'deliveriesPerSecond'],
];

/** Refuses options whose values do not fit the others. */
function refuseContradictions(options: Context, { addIssue }: z.RefinementCtx<Context>): void {
  const refuse = (name: keyof Context, message: string) => addIssue({ code: 'custom', path: [name], message });
  const unused: readonly unknown[] = [undefined, false, 'on-demand'];
  for (const [name, ...others] of NEEDS) {
    if (unused.includes(options[name])) continue;
    for (const other of others) if (options[other] === undefined) refuse(name, `also needs -c ${other}`);
  }
  if (options.fixedEgress && options.vpcId !== undefined) {
    refuse('vpcId', 'leave out -c fixedEgress, which creates a network');
  }
  const { deliveriesPerSecond, accountConcurrency = USUAL_ACCOUNT_CONCURRENCY, requestConcurrency = 0 } = options;
  if (requestConcurrency > 0 && FUNCTIONS_THAT_RESERVE * requestConcurrency + UNRESERVED_MIN > accountConcurrency) {
    const most = Math.floor((accountConcurrency - UNRESERVED_MIN) / FUNCTIONS_THAT_RESERVE);
    refuse(
      'requestConcurrency',
      `must be at most ${Math.max(0, most)} with an accountConcurrency of ${accountConcurrency}`,
    );
  }
  const { routerConcurrency = 0, deliveryConcurrency = 0 } = options;
  if (routerConcurrency + deliveryConcurrency >= accountConcurrency) {
    const needed = `also needs -c accountConcurrency=<more than ${routerConcurrency + deliveryConcurrency}>`;
    refuse(
      deliveryConcurrency > 0 ? 'deliveryConcurrency' : 'routerConcurrency',
      `${needed}, the account's quota, of which requests need a part`,
    );
  }
  if (deliveriesPerSecond === undefined) return;
  const { account, dispatcher } = capacityFor(deliveriesPerSecond);
  if (account > accountConcurrency) {
    const needed = `also needs -c accountConcurrency=${account} or more, the account's quota`;
    refuse('deliveriesPerSecond', `${deliveriesPerSecond} ${needed}`);
  }
  if (dispatcher > MAPPING_MAX && !options.provisionedPollers) {
    refuse('deliveriesPerSecond', `${deliveriesPerSecond} also needs -c provisionedPollers=true`);
  }
}
