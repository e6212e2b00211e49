import { Aws, Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Maximum length of a stack's name. With the longest name of a region it fits the limit of CloudFront and CloudWatch Logs, 60 characters. */
export const STACK_NAME_MAX = 40;

/**
 * Builds a name that must be unique in the account over all regions: the name of the stack and its region.
 * @param suffix at most four characters
 */
export function nameInAccount(scope: Construct, suffix?: string): string {
  return Fn.join('-', [Stack.of(scope).stackName, Aws.REGION, ...(suffix === undefined ? [] : [suffix])]);
}
