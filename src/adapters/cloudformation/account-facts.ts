import { CloudFormationServiceException, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeLimitsCommand } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import type { AccountFacts } from '../../domain/operations/examine-account.ts';
import { type AwsAccess, cloudFormationClient, dynamoDbClient, lambdaClient } from '../aws-clients.ts';

const TOOLKIT = 'CDKToolkit';

/**
 * Reads facts about the AWS account. A quota that cannot be read is undefined.
 * @throws errors of the SDK when stacks cannot be read or credentials are missing
 */
export async function accountFacts(stackName: string, access: AwsAccess): Promise<AccountFacts> {
  const cloudFormation = cloudFormationClient(access);
  const [region, toolkit, stack, concurrency, tableWriteUnits] = await Promise.all([
    cloudFormation.config.region(),
    stackState(TOOLKIT, access),
    stackState(stackName, access),
    quota(async () => {
      const { AccountLimit } = await lambdaClient(access).send(new GetAccountSettingsCommand({}));
      return AccountLimit?.ConcurrentExecutions;
    }),
    quota(async () => (await dynamoDbClient(access).send(new DescribeLimitsCommand({}))).TableMaxWriteCapacityUnits),
  ]);
  return { region, toolkit, stack, concurrency, tableWriteUnits };
}

async function stackState(name: string, access: AwsAccess): Promise<string | undefined> {
  try {
    const { Stacks } = await cloudFormationClient(access).send(new DescribeStacksCommand({ StackName: name }));
    return Stacks?.[0]?.StackStatus;
  } catch (error) {
    if (error instanceof CloudFormationServiceException && / does not exist$/.test(error.message)) return undefined;
    throw error;
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
