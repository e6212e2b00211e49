import type { Outcome } from './model.ts';

/** List prices in US dollars, us-east-1, without free tiers. */
const PRICES = {
  lambdaPerGbSecond: 0.0000133334,
  lambdaPerInvocation: 0.2e-6,
  sqsPerRequest: 0.4e-6,
  busPerEvent: 1e-6,
  dynamoPerWrite: 0.625e-6,
  dynamoPerRead: 0.125e-6,
} as const;

const MEMORY_GB = 0.5;

/** Returns the cost in dollars of a million events of 1 kB with one subscriber each: bus, queues, both functions, DynamoDB. */
export function costPerMillion({ messages, invocations, busy }: Outcome): number {
  // The event-router needs 2 ms of CPU per event, at ten events per invocation.
  const router = 0.02 * MEMORY_GB * PRICES.lambdaPerGbSecond + 0.1 * PRICES.lambdaPerInvocation;
  const dispatcher =
    (busy / messages) * MEMORY_GB * PRICES.lambdaPerGbSecond + (invocations / messages) * PRICES.lambdaPerInvocation;
  // Each message is sent to two queues. Receive and delete are requests per batch.
  const queues = 2 * PRICES.sqsPerRequest * (1 + 2 * (invocations / messages));
  const table = 2 * PRICES.dynamoPerWrite + 2 * PRICES.dynamoPerRead;
  return 1e6 * (PRICES.busPerEvent + router + dispatcher + queues + table);
}
