/** Regions of other partitions of AWS, which lack services that the stack uses: those of China, GovCloud, isolated and sovereign clouds. */
export const UNSUPPORTED_REGION: RegExp = /^(cn|us-gov|us-iso[a-z]*|eu-iso[a-z]*|eusc[a-z]*)-/;

/**
 * EventBridge's default quotas of rule invocations per second (code L-5540C5E3) by region, the last of all others. An event is one invocation
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html, November 2026). An account may have a higher one.
 */
const EVENTS_PER_SECOND: readonly (readonly [number, RegExp])[] = [
  [18_750, /^(us-east-1|us-west-2|eu-west-1)$/],
  [4500, /^(us-east-2|eu-central-1|eu-south-2)$/],
  [2250, /^(us-west-1|eu-west-2|ap-northeast-1|ap-southeast-[12])$/],
  [1100, /^(ap-east-1|ap-northeast-2|ap-south-1|ca-central-1|eu-north-1|eu-west-3|sa-east-1)$/],
  [750, /./],
];

/** Returns how many events a second EventBridge passes to a queue in a region by default. */
export const eventsPerSecond = (region: string): number =>
  EVENTS_PER_SECOND.find(([, regions]) => regions.test(region))?.[0] ?? 0;
