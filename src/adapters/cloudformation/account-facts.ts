import { DescribeLimitsCommand } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import { OUTPUTS } from '../../contract/outputs.ts';
import type { AccountFacts } from '../../domain/operations/examine-account.ts';
import { type AwsAccess, cloudFormationClient, dynamoDbClient, lambdaClient } from '../aws-clients.ts';
import { findStack } from './stack-outputs.ts';

const TOOLKIT = 'CDKToolkit';

/**
 * Reads facts about the AWS account. A quota that cannot be read is undefined.
 * @throws errors of the SDK when stacks cannot be read or credentials are missing
 */
export async function accountFacts(stackName: string, access: AwsAccess): Promise<AccountFacts> {
  const cloudFormation = cloudFormationClient(access);
  const [region, toolkit, stack, concurrency, tableWriteUnits] = await Promise.all([
    cloudFormation.config.region(),
    findStack(TOOLKIT, access),
    findStack(stackName, access),
    quota(async () => {
      const { AccountLimit } = await lambdaClient(access).send(new GetAccountSettingsCommand({}));
      return AccountLimit?.ConcurrentExecutions;
    }),
    quota(async () => (await dynamoDbClient(access).send(new DescribeLimitsCommand({}))).TableMaxWriteCapacityUnits),
  ]);
  const version = stack?.Outputs?.find(({ OutputKey }) => OutputKey === OUTPUTS.version)?.OutputValue;
  return { region, toolkit: toolkit?.StackStatus, stack: stack?.StackStatus, version, concurrency, tableWriteUnits };
}

/** Returns a quota; undefined when it cannot be read, so that a missing permission does not stop the other checks. */
async function quota(read: () => Promise<number | undefined>): Promise<number | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
