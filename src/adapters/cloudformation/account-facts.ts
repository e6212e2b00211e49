import { CloudWatchLogsServiceException, DescribeDeliverySourcesCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeLimitsCommand } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import type { AccountFacts } from '../../domain/operations/examine-account.ts';
import { type AwsAccess, cloudFormationClient, dynamoDbClient, lambdaClient, logsClient } from '../aws-clients.ts';
import { findStack } from './stack-outputs.ts';

const TOOLKIT = 'CDKToolkit';
/** The only region in which the log of a distribution can be configured. */
const CLOUDFRONT_REGION = 'us-east-1';

/**
 * Reads facts about the AWS account. A quota that cannot be read is undefined.
 * @throws errors of the SDK when stacks cannot be read or credentials are missing
 */
export async function accountFacts(stackName: string, access: AwsAccess): Promise<AccountFacts> {
  const cloudFormation = cloudFormationClient(access);
  const [region, toolkit, stack, concurrency, tableWriteUnits, edgeLogs] = await Promise.all([
    cloudFormation.config.region(),
    findStack(TOOLKIT, access),
    findStack(stackName, access),
    quota(async () => {
      const { AccountLimit } = await lambdaClient(access).send(new GetAccountSettingsCommand({}));
      return AccountLimit?.ConcurrentExecutions;
    }),
    quota(async () => (await dynamoDbClient(access).send(new DescribeLimitsCommand({}))).TableMaxWriteCapacityUnits),
    edgeLogsAllowed(access),
  ]);
  return { region, toolkit: toolkit?.StackStatus, stack: stack?.StackStatus, concurrency, tableWriteUnits, edgeLogs };
}

/** Returns whether the account's rules allow calls to CloudWatch Logs in CloudFront's region; undefined when the answer does not say. */
async function edgeLogsAllowed(access: AwsAccess): Promise<boolean | undefined> {
  try {
    await logsClient({ ...access, region: CLOUDFRONT_REGION }).send(new DescribeDeliverySourcesCommand({}));
    return true;
  } catch (error) {
    return error instanceof CloudWatchLogsServiceException && error.name === 'AccessDeniedException'
      ? false
      : undefined;
  }
}

/** Returns a quota; undefined when it cannot be read, so that a missing permission does not stop the other checks. */
async function quota(read: () => Promise<number | undefined>): Promise<number | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
