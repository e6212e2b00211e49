/*
 * What AWS has published about the services of the model, with the page. NEW_TABLE (src/contract/capacity.ts), the limits of an event source
 * mapping and its pollers (lib/concurrency.ts) and NOISY (local/cloud/engines/message-groups.ts) are published too; the service or the local cloud uses them.
 */

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html: "five concurrent invocations", then "up to 300 more concurrent invokes per minute". */
export const POLLING = { start: 5, perSecond: 300 / 60 } as const;

/**
 * The same page, provisioned mode: a poller has "up to 10 concurrent invokes, or up to 10 Amazon SQS polling API calls per second". So it makes one
 * call a second for each invocation that it may run. Lambda adds "up to 1,000 concurrent invokes per minute".
 */
export const PROVISIONED = { callsPerInvocation: 1, perSecond: 1000 / 60 } as const;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html: "limited to 1,000 write units per second and 3,000 read units per second". */
export const PARTITION = { writes: 1000, reads: 3000 } as const;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html: a table accepts "up to double the previous peak traffic". */
export const PEAK_FACTOR = 2;

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html, us-east-1: requests and rule invocations a second. */
export const BUS = { putEvents: 10_000, invocations: 18_750 } as const;
