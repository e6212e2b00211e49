import { CloudFormationServiceException, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeLimitsCommand } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import type { AccountFacts } from '../../domain/operations/examine-account.ts';
import { type AwsAccess, cloudFormationClient, dynamoDbClient, lambdaClient } from '../aws-clients.ts';

const TOOLKIT = 'CDKToolkit';

/**
 * What the account says of itself. A quota that may not be read is undefined.
 * @throws the SDK's errors when stacks may not be read, or there are no credentials
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

/** A quota tells an operator what to do; a missing permission to read it is told as well, and stops nothing. */
async function quota(read: () => Promise<number | undefined>): Promise<number | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
