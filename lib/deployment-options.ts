import type { Node } from 'constructs';
import * as z from 'zod';
import type { StageName } from './stage.ts';

/** What an operator chooses at deploy time: `-c <name>=<value>`, or the same names in the context of cdk.json. */
export type DeploymentOptions = {
  /** @default prod */
  readonly stage?: StageName | undefined;
  /** How long the delivery log keeps a record, in days. @default by stage */
  readonly deliveryLogRetentionDays?: number | undefined;
  /** Invocations of the dispatcher at once, at most; each makes ten attempts. @default DEFAULT_DELIVERY_CONCURRENCY */
  readonly deliveryConcurrency?: number | undefined;
  /** SNS topic that alarms are sent to. @default alarms change their state and tell nobody */
  readonly alarmTopicArn?: string | undefined;
  /** A name of the operator's own for `{base_url}`; its DNS record is made by the operator. @default CloudFront's name */
  readonly domain?: { readonly name: string; readonly certificateArn: string } | undefined;
  /** A web ACL in front of the distribution. @default none: it costs more than the rest of the idle service */
  readonly webAclArn?: string | undefined;
  /** Sends every outbound request from two fixed addresses (docs/costs.md says for how much). @default false */
  readonly fixedEgress?: boolean | undefined;
  /** Version of the origin secret that the distribution sends, after a rotation. @default the current one when it was deployed */
  readonly originSecretVersion?: string | undefined;
  /** A second region that holds a copy of the sealing key. @default none */
  readonly sealingKeyReplicaRegion?: string | undefined;
};

/** Enough for 10 000 events a second (docs/scaling.md), and half of what an account has by default: the widget needs some too. */
export const DEFAULT_DELIVERY_CONCURRENCY = 500;

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
const region = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1');

const context = z.object({
  stage: z.enum(['prod', 'dev'], { error: 'must be prod or dev' }).optional(),
  deliveryLogRetentionDays: wholeNumber(1, 3650).optional(),
  // What an event source mapping of SQS takes.
  deliveryConcurrency: wholeNumber(2, 1000).optional(),
  alarmTopicArn: topicArn.optional(),
  domainName: domainName.optional(),
  certificateArn: certificateArn.optional(),
  webAclArn: webAclArn.optional(),
  fixedEgress: flag.optional(),
  originSecretVersion: versionId.optional(),
  sealingKeyReplicaRegion: region.optional(),
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
  const { domainName: name, certificateArn: certificate, ...options } = parsed.data;
  if (name !== undefined && certificate !== undefined) {
    return { ...options, domain: { name, certificateArn: certificate } };
  }
  if (name !== undefined) throw new Error('-c domainName: needs -c certificateArn beside it');
  if (certificate !== undefined) throw new Error('-c certificateArn: needs -c domainName beside it');
  return options;
}
