import { Aws, Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The longest name of a stack: with the longest name of a region it fits into what CloudFront and CloudWatch Logs take, 60. */
export const STACK_NAME_MAX = 40;

/**
 * A name for what is alone of its name in the whole account, wherever the stack is: the stack's name and its region.
 * @param suffix of at most four characters
 */
export function nameInAccount(scope: Construct, suffix?: string): string {
  return Fn.join('-', [Stack.of(scope).stackName, Aws.REGION, ...(suffix === undefined ? [] : [suffix])]);
}
