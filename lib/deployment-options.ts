import type { Node } from 'constructs';
import * as z from 'zod';
import { STACK_NAME_MAX } from './names.ts';
import type { StageName } from './stage.ts';

/** What an operator chooses at deploy time: `-c <name>=<value>`, or the same names in the context of cdk.json. */
export type DeploymentOptions = {
  /** @default prod */
  readonly stage?: StageName | undefined;
  /** Name of the stack: another one is another deployment of the service, beside the first. @default by stage */
  readonly stackName?: string | undefined;
  /** How long the delivery log keeps a record, in days. @default by stage */
  readonly deliveryLogRetentionDays?: number | undefined;
  /** Invocations of the dispatcher at once, at most; each makes ten attempts. @default a share of accountConcurrency */
  readonly deliveryConcurrency?: number | undefined;
  /** The account's quota of Lambda invocations at once, of which each feature gets a share. @default 1000, the usual quota */
  readonly accountConcurrency?: number | undefined;
  /**
   * Reserved concurrency of form-submit, ai-action and action-test, each: endpoints that hang can then take no more of the account.
   * @default none
   */
  readonly requestConcurrency?: number | undefined;
  /** SNS topic that alarms are sent to. @default alarms change their state and tell nobody */
  readonly alarmTopicArn?: string | undefined;
  /** A name of the operator's own for `{base_url}`; its DNS record is made by the operator. @default CloudFront's name */
  readonly domain?: { readonly name: string; readonly certificateArn: string } | undefined;
  /** A web ACL in front of the distribution, which is then the only way to the widget's routes. @default none: it costs more than the rest of the idle service */
  readonly webAclArn?: string | undefined;
  /** Sends every outbound request from two fixed addresses (docs/costs.md says for how much). @default false */
  readonly fixedEgress?: boolean | undefined;
  /** Uses the service from outside every five minutes, as a customer does (docs/runbook.md). @default false */
  readonly canary?: boolean | undefined;
  /** Version of the origin secret that the distribution sends, after a rotation. @default the current one when it was deployed */
  readonly originSecretVersion?: string | undefined;
  /** A second region that holds a copy of the sealing key. @default none */
  readonly sealingKeyReplicaRegion?: string | undefined;
  /** Tables that exist already, to be used instead of new ones: restored from a backup, or left by a stack that was deleted. @default none */
  readonly existingTables?: ExistingTables | undefined;
};

/** Names of tables by what they hold. */
export type ExistingTables = {
  readonly configuration?: string | undefined;
  readonly conversations?: string | undefined;
  readonly deliveryLog?: string | undefined;
};

/** An option from `-c` is text; from cdk.json it may be what it is. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], {
  error: 'must be true or false',
});
const topicArn = z.string().regex(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic');
// CloudFront is configured from one region, wherever the stack is.
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
// What CloudFormation takes, and short enough for the names that carry it.
const stackName = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${STACK_NAME_MAX - 1}}$`),
    `must begin with a letter, and have letters, digits and hyphens only, ${STACK_NAME_MAX} at most`,
  );
const tableName = z.string().regex(/^[\w.-]{3,255}$/, 'must be the name of a table');
const region = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1');

const context = z.object({
  stage: z.enum(['prod', 'dev'], { error: 'must be prod or dev' }).optional(),
  stackName: stackName.optional(),
  deliveryLogRetentionDays: wholeNumber(1, 3650).optional(),
  // What an event source mapping of SQS takes.
  deliveryConcurrency: wholeNumber(2, 1000).optional(),
  requestConcurrency: wholeNumber(1, 1000).optional(),
  // Lambda gives no account less.
  accountConcurrency: wholeNumber(10, 1_000_000).optional(),
  alarmTopicArn: topicArn.optional(),
  domainName: domainName.optional(),
  certificateArn: certificateArn.optional(),
  webAclArn: webAclArn.optional(),
  fixedEgress: flag.optional(),
  canary: flag.optional(),
  originSecretVersion: versionId.optional(),
  sealingKeyReplicaRegion: region.optional(),
  configurationTable: tableName.optional(),
  conversationsTable: tableName.optional(),
  deliveryLogTable: tableName.optional(),
});

/**
 * Reads the options from the context of an app.
 * @throws Error that names each option which cannot be taken, and what it must be
 */
export function readDeploymentOptions(app: Node): DeploymentOptions {
  const given = Object.fromEntries(Object.keys(context.shape).map((name) => [name, app.tryGetContext(name)]));
  const parsed = context.safeParse(given);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `-c ${path.join('.')}: ${message}`).join('\n'));
  }
  const { domainName, certificateArn, configurationTable, conversationsTable, deliveryLogTable, ...options } =
    parsed.data;
  return {
    ...options,
    ...ownDomain(domainName, certificateArn),
    ...((configurationTable ?? conversationsTable ?? deliveryLogTable) === undefined
      ? {}
      : {
          existingTables: {
            configuration: configurationTable,
            conversations: conversationsTable,
            deliveryLog: deliveryLogTable,
          },
        }),
  };
}

function ownDomain(name: string | undefined, certificateArn: string | undefined): Pick<DeploymentOptions, 'domain'> {
  if (name !== undefined && certificateArn !== undefined) return { domain: { name, certificateArn } };
  if (name !== undefined) throw new Error('-c domainName: needs -c certificateArn beside it');
  if (certificateArn !== undefined) throw new Error('-c certificateArn: needs -c domainName beside it');
  return {};
}
