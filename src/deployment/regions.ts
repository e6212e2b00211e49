/** Regions of other partitions of AWS, which lack services that the stack uses: those of China, GovCloud, isolated and sovereign clouds. */
export const UNSUPPORTED_REGION: RegExp = /^(cn|us-gov|us-iso[a-z]*|eu-iso[a-z]*|eusc[a-z]*)-/;

/**
 * EventBridge's default quotas by region, the last of all others: rule invocations a second (code L-5540C5E3; an event is one), and PutEvents requests a
 * second (L-9B653E91; https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html, November 2026). An account may have higher ones.
 */
const BUS_QUOTAS: readonly (readonly [events: number, requests: number, RegExp])[] = [
  [18_750, 10_000, /^(us-east-1|us-west-2|eu-west-1)$/],
  [4500, 2400, /^(us-east-2|eu-central-1|eu-south-2)$/],
  [2250, 1200, /^(us-west-1|eu-west-2|ap-northeast-1|ap-southeast-[12])$/],
  [1100, 600, /^(ap-east-1|ap-northeast-2|ap-south-1|ca-central-1|eu-north-1|eu-west-3|sa-east-1)$/],
  [750, 400, /./],
];

/** Returns how many events a second EventBridge passes to a queue in a region by default, and how many PutEvents requests it takes. */
export function busQuotas(region: string): { readonly events: number; readonly requests: number } {
  const [events = 0, requests = 0] = BUS_QUOTAS.find(([, , regions]) => regions.test(region)) ?? [];
  return { events, requests };
}
